# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of scripts/rtl-*: a failure must have the right exit status and one line on stderr: what is wrong,
# where, what to do.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

# fails STATUS TEXT RUNNER…: scripts/rtl-RUNNER ends with that status and one line on stderr that contains TEXT.
fails() {
  local status=0 wanted=$1 text=$2
  shift 2
  "$root/scripts/rtl-$1" "${@:2}" > "$work/out" 2> "$work/err" || status=$?
  if [ "$status" = "$wanted" ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -qF -e "$text" "$work/err"; then return; fi
  printf 'rtl-%s\n  wanted status %s and one line with: %s\n  got status %s and:\n' "$*" "$wanted" "$text" "$status"
  cat "$work/err"
  wrong=$((wrong + 1))
}

# edited FILE EXPRESSION: a copy of that file, changed by sed; it must differ.
edited() {
  local copy=$work/edited-${1##*/}
  sed -E "$2" "$root/$1" > "$copy"
  ! cmp -s "$copy" "$root/$1" || { printf '%s: nothing to edit by %s\n' "$1" "$2" >&2; exit 1; }
  printf '%s' "$copy"
}

# all_right: the last line of a test.
all_right() { [ "$wrong" = 0 ] || { printf '%s wrong\n' "$wrong"; exit 1; }; }
