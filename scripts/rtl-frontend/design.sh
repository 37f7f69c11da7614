# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/rtl-setup: designs of the user's, from lists of files, in SystemVerilog that Debian's tools do not read,
# and in VHDL.

# add_list LIST PLACE [WITHIN]: the files of a list and what it says besides, relative to its folder. PLACE names it in a
# message where it is not there, WITHIN are the lists that are being read.
add_list() {
  local list=$1 within="${3:-}$1|" folder=${1%/*} line number=0 words word at before=$((${#sources[@]} + ${#library_files[@]}))
  [ -f "$list" ] || error "$2: there is no such list of files"
  case "${3:-}" in *"$list|"*) error "$2: includes itself" ;; esac
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=$(sed -E 's,\r$,,; s,(^|[[:blank:]])(//|#).*,,' <<< "$line")
    line=$(with_variables "$line" "$list:$number")
    read -ra words <<< "$line"
    for ((at = 0; at < ${#words[@]}; ++at)); do
      word=${words[at]}
      case "$word" in
        +incdir+*) IFS=+ read -ra word <<< "${word#+incdir+}"; for word in "${word[@]}"; do includes+=("$(beside "$word")"); done ;;
        +define+*) IFS=+ read -ra word <<< "${word#+define+}"; defines+=("${word[@]}") ;;
        +libext+*) ;; # all that Verilog and VHDL are called
        -f|-F|-y|-v)
          at=$((at + 1))
          [ -n "${words[at]:-}" ] || error "$list:$number: $word: names nothing"
          case "$word" in
            -[fF]) add_list "$(beside "${words[at]}")" "$list:$number: ${words[at]}" "$within" ;;
            -y) libraries+=("$(beside "${words[at]}")") ;;
            -v) library_files+=("$(listed_file "${words[at]}")") ;;
          esac ;;
        [+-]*) error "$list:$number: $word: a list has files, +incdir+, +define+, +libext+, -y, -v and -f" ;;
        *) sources+=("$(listed_file "$word")") ;;
      esac
    done
  done < "$list"
  [ $((${#sources[@]} + ${#library_files[@]})) -gt "$before" ] || error "$2: lists no file"
}
# Of add_list: a path from the list's folder, and that of a file that is there.
beside() { case "$1" in /*) realpath -ms "$1" ;; *) realpath -ms "$folder/$1" ;; esac; }
listed_file() { beside "$1"; [ -f "$(beside "$1")" ] || error "$list:$number: $1: there is no such file"; }
# with_variables LINE PLACE: ${NAME}, $(NAME) and $NAME are the environment's.
with_variables() {
  local line=$1 name
  while [[ $line =~ \$(\{([A-Za-z_][A-Za-z0-9_]*)\}|\(([A-Za-z_][A-Za-z0-9_]*)\)|([A-Za-z_][A-Za-z0-9_]*)) ]]; do
    name=${BASH_REMATCH[2]}${BASH_REMATCH[3]}${BASH_REMATCH[4]}
    [ -n "${!name:-}" ] || error "$2: \$$name: the environment has no such variable"
    line=${line/"${BASH_REMATCH[0]}"/${!name}}
  done
  printf '%s' "$line"
}

# reading INCLUDE DEFINE: the folders and macros of the design as options of a tool, one a line, after these words.
reading() {
  printf -- "$1%s\n" "${includes[@]}" "$root/rtl/common"
  [ ${#defines[@]} -eq 0 ] || printf -- "$2%s\n" "${defines[@]}"
}

# headers: what the design may include, a file a line: all beside its sources and in its folders that is no source.
headers() {
  local folders file
  folders=("${includes[@]}")
  for file in "${sources[@]}"; do folders+=("$(dirname "$(realpath "$file")")"); done
  find "${folders[@]}" -maxdepth 1 -type f \( -name '*.svh' -o -name '*.vh' -o -name '*.h' -o -name '*.inc' \) 2> /dev/null |
    sort -u
}

# --- Front ends -----------------------------------------------------------------------------------

# slang_folder: where npm brings Slang to, beside what co-simulation keeps.
slang_folder() {
  local cache=${WARPFOLD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpfold}
  printf '%s/slang-%s' "$cache" "$(sha256sum < "$root/scripts/rtl-frontend/package-lock.json" | cut -c1-16)"
}

# bring_slang: it is there afterwards.
bring_slang() {
  local folder made
  folder=$(slang_folder)
  [ ! -d "$folder" ] || return 0
  command -v npm > /dev/null || error "npm is not installed: scripts/setup report installs it"
  mkdir -p "${folder%/*}" 2>/dev/null || error "${folder%/*}: cannot be made"
  made=$(mktemp -d "${folder%/*}/slang-XXXXXX")
  cp "$root"/scripts/rtl-frontend/package*.json "$made"
  if ! npm ci --prefix "$made" --ignore-scripts --no-audit --no-fund --loglevel=error > "$work/npm.log" 2>&1; then
    rm -rf "$made"
    error "npm cannot bring Slang, which takes a network once: $(grep -m1 -oP '^npm (ERR!|error) \K.*' "$work/npm.log" || head -n1 "$work/npm.log")"
  fi
  mv -T "$made" "$folder" 2>/dev/null || rm -rf "$made" # somebody else has brought it by now
}

is_vhdl() { case "$1" in *.vhd|*.vhdl) true ;; *) false ;; esac; }

# plain_verilog MODULE OUT: Verilog that all tools read, of a module of the user's with the parameters of --set.
plain_verilog() {
  local file vhdl=() verilog=()
  for file in "${sources[@]}"; do
    if is_vhdl "$file"; then vhdl+=("$file"); else verilog+=("$file"); fi
  done
  if [ ${#vhdl[@]} -eq 0 ]; then
    slang_verilog "$@"
  elif [ ${#verilog[@]} -gt 0 ]; then
    error "${vhdl[0]} beside ${verilog[0]}: a design is VHDL or Verilog, not both"
  else
    ghdl_verilog "$@"
  fi
}

slang_verilog() {
  local folder words=() files
  folder=$(slang_folder)
  block=$1
  mapfile -t files < <(sources_of "$(module_file "$1")")
  mapfile -t words < <(parameters '-G\n%s=%s'; reading +incdir+ +define+)
  [[ " ${files[*]} " == *"/simt_pkg.sv "* ]] || files=("$root/rtl/common/simt_pkg.sv" "${files[@]}")
  [[ " ${files[*]} " == *"/ram_1r1w.sv "* ]] || files+=("$root/rtl/common/ram_1r1w.sv")
  "$folder"/node_modules/.bin/node "$root/scripts/rtl-frontend/elaborate.mjs" "$folder/node_modules/@yowasp/yosys" "$2" "$1" \
    "${words[@]}" "${files[@]}" > "$work/slang.log" 2>&1 && [ -s "$2" ] || error "$1: $(slang_error "$work/slang.log")"
}
# Its first line that says where, else the first that says what.
slang_error() {
  sed -i -E 's,\x1b\[[0-9;]*m,,g' "$1"
  { grep -m1 -oE '^/?\S+:[0-9]+:[0-9]+: (fatal )?error: .*' "$1" || grep -m1 -E '^ERROR:' "$1" || grep -m1 -iE '\berror:' "$1" || tail -n1 "$1"; } |
    sed -E 's,(:[0-9]+):[0-9]+: (fatal )?error:,\1:,; s,^ERROR: ,,'
}

# GHDL makes a netlist in VHDL of the design, and Verilog of that: choices.sed says why. The packages of the top stay its own. Yosys makes wires of what
# Verilator takes for registers.
ghdl_verilog() {
  local generics=() design=()
  command -v ghdl > /dev/null || error "ghdl is not installed: VHDL needs the package ghdl-mcode"
  need yosys
  mkdir "$work/once" "$work/twice"
  mapfile -t generics < <(parameters '-g%s=%s')
  design=(ghdl --synth --std=08)
  "${design[@]}" --out=vhdl --workdir="$work/once" "${generics[@]}" "${sources[@]}" -e "$1" > "$work/said.vhd" 2> "$work/ghdl.log" ||
    error "$1: $(ghdl_error "$work/ghdl.log")"
  sed -E -f "$root/scripts/rtl-frontend/choices.sed" "$work/said.vhd" > "$work/netlist.vhd"
  "${design[@]}" --out=verilog --workdir="$work/twice" "${sources[@]}" "$work/netlist.vhd" -e "$1" > "$work/ghdl.v" 2> "$work/ghdl.log" ||
    error "$1: GHDL does not read its own netlist: $(ghdl_error "$work/ghdl.log")"
  yosys -Q -T -p "read_verilog $work/ghdl.v; hierarchy -top $1; proc; opt_clean; write_verilog -noattr $2" > "$work/log" 2>&1 ||
    error "$1: $(first_error "$work/log")"
}
ghdl_error() {
  { grep -m1 -E '\.vhdl?:[0-9]+:[0-9]+:' <(grep -vE ':(note|warning):' "$1") || grep -m1 error "$1" || head -n1 "$1"; } |
    sed -E 's,(:[0-9]+):[0-9]+:(error: )?,\1:,'
}

# --- What Debian's tools read ---------------------------------------------------------------------

# reads TOOL FILE…: do yosys, iverilog read these files of the user's block? What they say is in the log.
reads() {
  local tool=$1 options
  shift
  case "$tool" in
    yosys)
      mapfile -t options < <(reading -I -D)
      yosys -Q -T -q -p "read_verilog -sv ${options[*]} $*; hierarchy -check -top $block" > "$work/log" 2>&1 ;;
    iverilog)
      mapfile -t options < <(reading -I -D)
      iverilog -g2012 -t null "${options[@]}" -s "$block" "$@" > "$work/log" 2>&1 ;;
  esac || grep -q 'parameters break' "$work/log" # which is told where their values are known
}

# readable_by TOOL FILE MODULE: afterwards the tool reads the sources: as they are, or as plain Verilog of the block with the
# parameters that MODULE of FILE, a bench or proof of ours or our block itself, gives it with those of --set. FILE is not there
# for a module that is the user's alone.
readable_by() {
  local file files=()
  [ ${#sources[@]} -gt 0 ] || return 0
  if ! is_vhdl "${sources[0]}"; then
    mapfile -t files < <(sources_of "$(module_file "$block")")
    ! reads "$1" "${files[@]}" || return 0
    [ -d "$(slang_folder)" ] ||
      error "$block: $(first_error "$work/log"); scripts/rtl-verilog --bring-slang has npm bring Slang, which reads more"
  fi
  make_plain "$2" "$3"
}

# block_parameters FILE MODULE: lines NAME VALUE of the block's parameters, as Verilator elaborates that module with our
# block in it.
block_parameters() {
  local options
  need verilator
  mapfile -t options < <(parameters '-G%s=%s')
  verilator --xml-only --xml-output "$work/block.xml" --timing --bbox-sys -Wno-fatal -Wno-lint -UVERILATOR -DFORMAL \
    --top-module "$2" "${options[@]}" -I"$root"/rtl/common -I"$root"/tests/rtl -I"$root"/rtl/formal -y "$root"/rtl -y "$root"/rtl/common \
    "$root"/rtl/common/simt_pkg.sv "$1" > "$work/log" 2>&1 || tool_error "$work/log" "$1" "$2"
  awk -F'"' -v block="$block" '
    /<module / { ours = / origName="/ && $0 ~ " origName=\"" block "\""; sizes += ours }
    ours && /<var .* param="true"/ { name = $4 }
    ours && name != "" && /<const / { sub(/.*;s?h/, "", $4); printf "%d %s %s\n", sizes, name, $4; name = "" }
    /<\/module>/ { ours = 0 }' "$work/block.xml" > "$work/sizes"
  while read -r _ name value; do printf '%s %d\n' "$name" "0x$value"; done < <(grep '^1 ' "$work/sizes")
}

make_plain() {
  local all=("${sources[@]}") set_names=("${names[@]}") set_values=("${values[@]}") name value lines=
  if [ -f "$1" ]; then
    block_parameters "$1" "$2" > "$work/parameters"
    names=() values=()
    while read -r name value; do
      lines+="\\n  parameter $name = $value;"
      grep -qiw -- "$name" "${all[@]}" || continue # as --rtl has it: a parameter that a design does without
      names+=("$name") values+=("$value")
    done < "$work/parameters"
  else # a module of the user's alone
    : > "$work/sizes"
    for name in "${names[@]}"; do grep -qw -- "$name" "${all[@]}" || error "$block has no such parameter: $name"; done
    lines=$(parameters '\\n  parameter %s = %s;' | paste -sd '')
  fi
  plain_verilog "$block" "$work/plain.v"
  ! grep -q '^2 ' "$work/sizes" || error "$block: $1 has it in several sizes; what a front end makes of a design has one"
  sed -i -E "/^module $block\(/s,\\);\$,);$lines," "$work/plain.v"
  sources=("$work/plain.v" "$root/rtl/common/simt_pkg.sv") includes=() defines=() libraries=() library_files=()
  names=("${set_names[@]}") values=("${set_values[@]}")
}
