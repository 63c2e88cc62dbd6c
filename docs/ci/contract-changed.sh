#!/bin/sh
# contract-changed.sh BASE HEAD: prints each profile whose contract (all but state, history, revision and
# updated_at) differs between two commits, one a line. What cannot be told counts as changed.
set -eu
base=$1 head=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# contract COMMIT PATH: the contract as text that two commits can be compared by.
contract() {
    file=$work/${2##*/}
    git show "$1:$2" >"$file" 2>/dev/null || { echo absent; return; }
    for part in /oap /kind /extends /metadata /spec; do
        echo "$part"
        oap show "$file" --format json --pointer "$part" 2>/dev/null |
            if [ "$part" = /metadata ]; then
                sed -e '/^  "revision": /d' -e '/^  "updated_at": /d' -e 's/,$//'
            else
                cat
            fi
    done
}

git -c core.quotePath=true diff --raw --no-abbrev --no-renames "$base" "$head" >"$work/raw"
tab=$(printf '\t')
while IFS=$tab read -r info path; do
    case $path in
    *.agent.yaml | *.agent.yml | *.agent.json | *.agent.md) ;;
    \"*) echo "$path" && continue ;; # git quotes only odd names
    *) continue ;;
    esac
    # Files only: a link could name another contract without a byte of it changing.
    case $info in
    :100[67][45][45]\ 100[67][45][45]\ *) ;;
    *) echo "$path" && continue ;;
    esac
    [ "$(contract "$base" "$path")" = "$(contract "$head" "$path")" ] || echo "$path"
done <"$work/raw"
