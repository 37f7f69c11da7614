# SPDX-License-Identifier: Apache-2.0
# What Yosys is asked about a design. scripts/rtl-synth sets block, sources, reading and out before it sources this file.

# The text a Yosys command prints; its Tcl commands return nothing.
proc output_of {args} {
  global out
  yosys tee -q -o $out/output.txt {*}$args
  set channel [open $out/output.txt]
  set text [read $channel]
  close $channel
  file delete $out/output.txt
  return $text
}

proc names {args} { return [split [string trim [output_of select -list {*}$args]] "\n"] }

# The parameters of an elaborated module: name value …
proc parameters_of {module} {
  set found {}
  foreach line [split [output_of dump -m $module] "\n"] {
    if {[regexp {^  (wire|cell|memory|process|connect) } $line]} { break }
    if {[regexp {^  parameter \\(\w+) ((?:32')?\d+)$} $line -> name value]} {
      lappend found $name [expr [string map [list "32'" 0b] $value]]
    }
  }
  return $found
}

# Reads the sources and gives the block these parameters: name value …
proc elaborate {parameters} {
  global block sources reading
  yosys read_verilog -sv {*}$reading {*}$sources
  set overrides {}
  foreach {name value} $parameters { lappend overrides -chparam $name $value }
  yosys hierarchy -check -top $block {*}$overrides
}
