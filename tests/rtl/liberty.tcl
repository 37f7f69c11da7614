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

# Cells that no logic is made of, each with its reason; the text that tools read is without them.
proc buffer {name more {pin ""}} {
  return "cell ($name) { area : 1; $more pin (A) { direction : input; } pin (Y) { direction : output; function : \"A\"; $pin } }\n"
}
expect [library "[buffer PADIN {pad_cell : true;}][buffer PAD2 {} {is_pad : true;}][buffer CLKBUF1 {}][buffer dlya_1 {}][buffer HB2xp67 {}]
  [buffer SPARE {dont_use : true;}][buffer BUF1 {pad_cell : false;}]cell (FILL) { area : 1; }
  cell (ICG) { area : 1; clock_gating_integrated_cell : \"latch_posedge\"; pin (Y) { direction : output; } }
  cell (SDFF) { area : 1; test_cell () { ff (IQ, IQN) { next_state : D; } } pin (Y) { direction : output; } }
  cell (CLKFF) { area : 1; ff (IQ, IQN) { clocked_on : CK; clear : \"!R\"; next_state : \"D\"; }
    pin (CK) { direction : input; } pin (D) { direction : input; } pin (R) { direction : input; } pin (Q) { direction : output; function : IQ; } }"] taken
foreach {cell why} {PADIN pad PAD2 pad CLKBUF1 {clock tree} dlya_1 {clock tree} HB2xp67 {clock tree} SPARE dont_use BUF1 {} FILL filler
                    ICG {clock gate} SDFF scan CLKFF {} NAND2 {}} {
  set said [dict get $liberty::cells $cell passed_over]
  set there [regexp "cell \\($cell\\)" $liberty::text]
  if {$said ne $why || $there != ($why eq "")} { puts "$cell: passed over as '$said', wanted '$why'; in the text: $there"; incr wrong }
}
if {$liberty::driver ne "BUF1" || $liberty::flip_flop ne "CLKFF"} {
  puts "the buffer is $liberty::driver, the flip-flop $liberty::flip_flop"
  incr wrong
}

# Several files of one library.
proc said_of_files {args} {
  set paths {}
  foreach text $args {
    set channel [file tempfile path]
    puts -nonewline $channel $text
    close $channel
    lappend paths $path
  }
  set failed [catch { liberty::read {*}$paths; liberty::roles } message]
  file delete {*}$paths
  return [expr {$failed ? [regsub {^\S+(?=: |$)} [regsub -all {(and )?\S*tcl\w+} $message {\1FILE}] FILE] : "taken"}]
}
proc expect_of {wanted args} {
  global wrong
  set said [said_of_files {*}$args]
  if {$said ne $wanted} { puts "[join $args ---\n]\n  wanted: $wanted\n  said:   $said"; incr wrong }
}
set head "nom_voltage : 1.20; time_unit : \"1ns\"; capacitive_load_unit (1, pf); lu_table_template (t) { index_1 (\"1, 2\"); }"
set more "library (more) { nom_voltage : 1.2; time_unit : \"1ns\"; capacitive_load_unit (1,pf); [buffer BUF2 {}][buffer PADIN {pad_cell : true;}]"
expect_of taken [library $head] "$more lu_table_template (t) { index_1 (\"1,2\"); } lu_table_template (u) { index_1 (\"3\"); } }"
if {$liberty::driver ne "BUF2" || ![regexp {template \(u\)} $liberty::text] || [regexp -all {template \(t\)} $liberty::text] != 1
    || [regexp -all {library \(} $liberty::text] != 1 || [regexp PADIN $liberty::text]} {
  puts "two files make this of one library: $liberty::text"
  incr wrong
}
if {[said_of $liberty::text] ne "taken"} { puts "what was made of two files is none: [said_of $liberty::text]"; incr wrong }
expect_of "FILE: line 1: two corners mixed: nom_voltage is 1.2, and 1.1 before" [library [string map {1.20 1.10} $head]] "$more }"
expect_of "FILE: line 1: two corners mixed: time_unit is 1ps, and 1ns before" [library $head] "[string map {1ns 1ps} $more] }"
expect_of "FILE: line 3: lu_table_template (t) is another in the files before" [library $head] "$more lu_table_template (t) { index_1 (\"7\"); } }"
expect_of "FILE: line 3: cell (INV) is there twice" [library $head] "$more [string map {2 INV} [buffer 2 {}]] }"
expect_of "FILE and FILE have a NAND2 each: these are several libraries" [library $head] [string map {NAND2 ND2 INV IV BUF2 BF} [library {}]]

exit [expr {$wrong > 0}]
