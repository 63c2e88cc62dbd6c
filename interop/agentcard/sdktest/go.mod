module github.com/open-agent-profile/oap/interop/agentcard/sdktest

go 1.26.8

require (
	github.com/a2aproject/a2a-go/v2 v2.3.1
	github.com/google/go-cmp v0.7.0
)

require github.com/google/uuid v1.6.0 // indirect
