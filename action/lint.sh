#!/usr/bin/env bash
# Lints files by the program of BINARY, a path or an https URL; by one in the PATH; or by one that is built.
#   FILES   files and directories, separated by spaces
#   ORIGIN  origin that will serve them, if it is known
#   SARIF   file for the findings in SARIF, if one is wanted
#   SHA256  digest of the program at a URL
# The exit code is that of the linter: 1 if a document has an error or cannot be read.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

fail() { echo "::error::$*" >&2; exit 2; }

# Prints the path of the program.
program() {
    local place="${RUNNER_TEMP:-/tmp}/agentdex"
    case "${BINARY:-}" in
        https://*)
            [ -n "${SHA256:-}" ] || fail "a program from a URL needs its SHA-256 in sha256"
            mkdir -p "$place"
            curl --fail --silent --show-error --location --proto '=https' --max-time 120 \
                --output "$place/indexer" "$BINARY"
            echo "$SHA256  $place/indexer" | sha256sum --check --quiet >&2 \
                || fail "the program at $BINARY has another SHA-256"
            chmod +x "$place/indexer"
            echo "$place/indexer"
            ;;
        *://*) fail "'$BINARY' is neither a path nor an https URL" ;;
        "")
            if command -v indexer; then return; fi
            cargo install --quiet --locked --path "$here/../indexer" --root "$place" >&2
            echo "$place/bin/indexer"
            ;;
        *)
            [ -x "$BINARY" ] || fail "'$BINARY' is not a program"
            echo "$BINARY"
            ;;
    esac
}

indexer="$(program)"
options=()
[ -z "${ORIGIN:-}" ] || options+=(--origin "$ORIGIN")
read -r -a files <<< "${FILES:-.}"
if [ -n "${SARIF:-}" ]; then
    # What is wrong is told once more below, as annotations.
    "$indexer" lint "${options[@]}" --format sarif -- "${files[@]}" > "$SARIF" || true
fi
exec "$indexer" lint "${options[@]}" --format github -- "${files[@]}"
