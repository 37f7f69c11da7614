# SPDX-License-Identifier: Apache-2.0
# What rtl/synth/liberty.tcl refuses, and that a file is data to it. Yosys runs this: `yosys -c tests/rtl/liberty.tcl`.
source [file join [file dirname [info script]] ../../rtl/synth/liberty.tcl]

set wrong 0
proc said_of {text} {
  set channel [file tempfile path]
  puts -nonewline $channel $text
  close $channel
  set failed [catch { liberty::read $path; liberty::roles } message]
  file delete $path
  return [expr {$failed ? $message : "taken"}]
}
proc expect {text wanted} {
  global wrong
  set said [said_of $text]
  if {$said eq $wanted} { return }
  puts "$text\n  wanted: $wanted\n  said:   $said"
  incr wrong
}
# A library with these cells beside a NAND2 and an inverter, and that NAND2's area.
proc library {cells {area 2}} {
  return "library (small) {\n$cells\ncell (NAND2) { area : $area; pin (A) { direction : input; } pin (B) { direction : input; }\
    pin (Y) { direction : output; function : \"(A B)'\"; } }\n\
    cell (INV) { area : 1; pin (A) { direction : input; capacitance : 0.5; } pin (Y) { direction : output; function : \"!A\"; } }\n}\n"
}

expect [library ""] "taken"
expect [library "" 1e-3] "taken"
expect [library "" 0] "has a two-input gate, NAND2, without an area"

# Numbers with which nobody can reckon.
foreach area {NaN Inf 0x10 -1 1e999 1.2.3} {
  expect [library "cell (X) { area : $area; }"] "line 2: area : $area is no number from 0 on"
}
expect [library "capacitive_load_unit (1.2.3, pf);"] "line 2: capacitive_load_unit : 1.2.3 is no number"

# A function goes to `expr`, which would run what stands in brackets; its cell is merely of no use.
set ran 0
proc smuggled {} { incr ::ran; return 1 }
expect [library "cell (X) { area : 1; pin (Y) { direction : output; function : \"\[smuggled\]\"; } }"] "taken"
if {$ran} { puts "a function of a library runs commands"; incr wrong }
# Neither are words of the file options of Tcl's commands, or its pins' names patterns.
expect [library "cell (X) { area : 1; pin (Y) { direction : -exact; } }"] "taken"
expect [library "cell (X) { area : 0; pin (.) { direction : input; } pin (Y) { direction : output; function : \"A'\"; } }"] "taken"
if {$liberty::inverter ne "INV"} { puts "a pin's name is a pattern: $liberty::inverter is the inverter"; incr wrong }

# One line, of a bearable length.
expect [library "cell (X) { area : \"1\n2\"; }"] "line 2: area : 1 2 is no number from 0 on"
expect [library "cell (X) { area : [string repeat 9x 300]; }"] "line 2: area : [string range [string repeat 9x 300] 0 284]..."
expect [library "cell (a b) { area : 1; }"] "line 2: cell (a b): wanted a name of letters and digits"

exit [expr {$wrong > 0}]
