package secrets

func ScanText(s string) (kind string, found bool) { return "", false }
