# SPDX-License-Identifier: Apache-2.0
# What synthesis and timing need to know about a library and neither tool tells: whether its Liberty files are whole and of
# one corner, which cells are none to make logic of, and which is the NAND2, the inverter, the buffer and so on, by function
# and area, not by name.
namespace eval liberty {
  # cell -> dict: area, sequential, passed_over (why; "": it is not), state, ff (what its flip-flop says of clear, preset and
  # so on), pins (pin -> dict: direction, capacitance, function)
  variable cells
  variable text ""        ;# of all files as one, without the cells that are passed over
  variable all 0          ;# with them: for a netlist that another tool has made
  variable library ""     ;# the library's own name
  variable corner         ;# what its files must have in common, and what they have: units, thresholds, voltage and so on
  variable groups         ;# its groups but cells: what each says
  variable farads 1.0     ;# picofarads in a unit of capacitance
  variable nand2          ;# its cells by function, and what inputs are driven by and outputs drive (pF)
  variable inverter
  variable driver
  variable load
  variable flip_flop      ;# the smallest that synthesis may take: without scan, with an asynchronous reset; "": none
  variable inverse_only   ;# what flip-flops call their state that have an output for its inverse and none for itself
  variable fo4            ;# delay of the inverter with a fan-out of four, and of the clock aimed at, in ns (library.tcl)
  variable clock
}

# An error of one bearable line, whatever the file's words in it hold.
proc liberty::refuse {message} {
  set line [regsub -all {[[:cntrl:][:space:]]+} $message { }]
  error [expr {[string length $line] <= 300 ? $line : "[string range $line 0 299]..."}]
}

# Evaluates `script` for the caller; what it refuses is refused with the line.
proc liberty::at_line {line script} {
  try { uplevel 1 $script } trap NONE message { refuse "line $line: $message" }
}

# Reads one library from its FILES; an error says what is wrong with them and where.
proc liberty::read {args} {
  variable cells [dict create]
  variable text ""
  variable corner [dict create]
  variable groups [dict create]
  variable library ""
  set whole {}
  foreach file $args {
    set before [dict keys $cells]
    if {[catch { read_file $file } message]} {
      refuse [expr {[llength $args] > 1 ? "[file tail $file]: $message" : $message}]
    }
    # A library has its gates in one file: two with gates of their own are two libraries, whatever they call their cells.
    if {[llength $args] > 1 && [smallest 1110 $before] ne ""} { lappend whole [file tail $file] }
  }
  if {[llength $whole] > 1} { refuse "[join $whole { and }] have a NAND2 each: these are several libraries" }
  if {[dict size $cells] == 0} { refuse "has no cell" }
  append text "\}\n"
}

# Adds FILE to what has been read; the last brace of `text` is left out.
proc liberty::read_file {file} {
  variable cells
  variable library
  variable text
  variable groups
  set others [dict size $cells]
  set first [expr {$text eq ""}]
  set channel [open $file]
  set words [::read $channel]
  close $channel
  set words [without_comments $words]
  if {![regexp {^\s*library\s*\(} $words]} { refuse "does not begin with library (NAME)" }
  set line 1
  set open {}
  set at 0      ;# in `words`, after the last statement
  set kept 0    ;# what comes before is in `text` already
  foreach statement [regexp -all -inline {(?:"[^"]*"|[^"\{\};])*[\{\};]} $words] {
    set before_it $at
    incr at [string length $statement]
    set start [expr {$line + [regexp -all {\n} [lindex [regexp -inline {^\s*} $statement] 0]]}]
    incr line [regexp -all {\n} $statement]
    set end [string index $statement end]
    set statement [string trim [string range $statement 0 end-1]]
    if {$end eq "\{"} {
      # The attribute before a group may lack its semicolon.
      if {![regexp {^(.*\s)?(\w+)\s*\(([^()]*)\)$} $statement -> before group name]} {
        refuse "line $start: \{ after no group"
      }
      at_line $start { attributes $open $before }
      if {[llength $open] == 0 && $group ne "library"} { refuse "line $start: $group ($name) is outside the library" }
      lappend open [list $group [string trim $name " \t\""] $start]
      if {[llength $open] == 2} { set from [expr {$at - [string length [string trimleft [string range $words $before_it+[string length $before] $at-1]]]}] }
      at_line $start { begin $open }
    } else {
      at_line $start { attributes $open $statement }
      if {$end eq "\}"} {
        if {[llength $open] == 0} { refuse "line $line: \} closes nothing" }
        lassign [lindex $open end] group name
        if {[llength $open] == 2} {
          set whole [string range $words $from $at-1]
          if {[at_line $start { ends $group $name $whole $first }]} {
            if {$first} { append text [string range $words $kept $at-1] } else { append text $whole "\n" }
          } elseif {$first} {
            append text [string range $words $kept $from-1]
          }
          set kept $at
        } elseif {[llength $open] == 1 && $first} {
          append text [string range $words $kept $at-2]
          set kept $at
        }
        set open [lrange $open 0 end-1]
      }
    }
  }
  if {[llength $open] > 0} {
    lassign [lindex $open end] group name start
    refuse "ends inside $group ($name) of line $start"
  }
  if {[dict size $cells] == $others} { refuse "has no cell" }
}

# A group of the library ends. Whether its text is wanted: of cells, those that logic is made of; of the others of a second
# file, those that the first has not, and they may not contradict it.
proc liberty::ends {group name whole first} {
  variable all
  variable cells
  variable groups
  if {$group eq "cell"} {
    dict set cells $name passed_over [why_not $name]
    return [expr {$all || [dict get $cells $name passed_over] eq ""}]
  }
  set said [regsub -all {\s+} $whole {}]
  set key "$group ($name)"
  if {![dict exists $groups $key]} {
    dict set groups $key $said
    return [expr {$first || [string match *template* $group] || $group eq "type"}]
  }
  if {!$first && [string match *_template $group] && [dict get $groups $key] ne $said} { refuse "$key is another in the files before" }
  return $first
}

# Why a cell is none to make logic of; "" if it is one. That a buffer is for clock trees, or is slow on purpose, only its
# name tells.
proc liberty::why_not {cell} {
  variable cells
  set facts [dict get $cells $cell]
  if {[dict get $facts passed_over] ne ""} { return [dict get $facts passed_over] }
  set inputs 0
  set outputs 0
  dict for {pin about} [dict get $facts pins] {
    switch -- [dict get $about direction] { input { incr inputs } output { incr outputs } }
  }
  if {$outputs == 0} { return filler }
  set slow {(?i)clk|clock|ckinv|ckbuf|dly|delay|hold|^HB\d}
  if {$inputs == 1 && $outputs == 1 && ![dict get $facts sequential] && [regexp $slow $cell]} { return "clock tree" }
  return ""
}

# Comments go, their line ends stay: they number the lines.
proc liberty::without_comments {text} {
  set kept ""
  set position 0
  while {[set first [string first "/*" $text $position]] >= 0} {
    set last [string first "*/" $text $first]
    if {$last < 0} { set last [string length $text] }
    append kept [string range $text $position $first-1]
    append kept [string repeat "\n" [regexp -all {\n} [string range $text $first $last]]]
    set position [expr {$last + 2}]
  }
  return [append kept [string range $text $position end]]
}

# A group begins; `open` is the way to it, from the library down. Names of libraries and cells go into other tools' input.
proc liberty::begin {open} {
  variable cells
  variable library
  lassign [lindex $open end] group name
  set parent [lindex $open end-1]
  if {$group in {library cell} && ![regexp {^[\w.:$+-]+$} $name]} { refuse "$group ($name): wanted a name of letters and digits" }
  switch -- $group {
    library { if {$library eq ""} { set library $name } }
    cell {
      if {[dict exists $cells $name]} { refuse "cell ($name) is there twice" }
      dict set cells $name {area 0 sequential 0 passed_over "" state "" ff {} pins {}}
    }
    ff - ff_bank - latch - latch_bank - statetable {
      if {[lindex $parent 0] eq "cell"} {
        dict set cells [lindex $parent 1] sequential 1
        if {$group eq "ff"} { dict set cells [lindex $parent 1] state [string trim [lindex [split $name ,] 0] " \t\""] }
      }
    }
    test_cell { if {[lindex $parent 0] eq "cell"} { dict set cells [lindex $parent 1] passed_over scan } }
    pin {
      if {[lindex $parent 0] eq "cell"} {
        dict set cells [lindex $parent 1] pins $name {direction "" capacitance 0 function ""}
      }
    }
  }
}

proc liberty::attributes {open statement} {
  variable cells
  variable farads
  if {$open eq "" || $statement eq ""} { return }
  lassign [lindex $open end] group name
  set parent [lindex $open end-1]
  if {$group eq "library"} { same_corner $statement }
  if {$group eq "library" && [regexp {capacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*"?(\w+)"?\s*\)} $statement -> number unit]} {
    if {![is_size $number]} { refuse "capacitive_load_unit : $number is no number" }
    set farads [expr {$number * ([string tolower $unit] eq "ff" ? 1e-3 : 1.0)}]
  }
  if {[regexp {^(values|index_\d)\s*\((.*)\)$} $statement -> key value] && ![regexp {^[-+\deE.,\s"\\]*$} $value]} {
    refuse "$key of other than numbers"
  }
  foreach {- key value} [regexp -all -inline {(\w+)\s*:\s*("[^"]*"|[^\s;]+)} $statement] {
    set value [string trim $value "\""]
    if {$key in {area capacitance} && ![is_size $value]} { refuse "$key : $value is no number from 0 on" }
    if {$group eq "cell" && $key eq "area"} { dict set cells $name area $value }
    if {$group eq "ff" && [lindex $parent 0] eq "cell" && $key in {clear preset next_state clocked_on}} {
      dict set cells [lindex $parent 1] ff $key $value
    }
    set why [cell_mark $key $value]
    if {$why ne "" && $group eq "cell"} { dict set cells $name passed_over $why }
    if {$why ne "" && $group eq "pin" && [lindex $parent 0] eq "cell"} { dict set cells [lindex $parent 1] passed_over $why }
    if {$group eq "pin" && [lindex $parent 0] eq "cell" && $key in {direction capacitance function}} {
      dict set cells [lindex $parent 1] pins $name $key $value
    }
  }
}

# All files of a library have the same units, thresholds and conditions.
proc liberty::same_corner {statement} {
  variable corner
  set wanted {nom_\w+|\w+_unit|slew_\w+|(?:in|out)put_threshold_pct_\w+}
  if {![regexp "^($wanted)\\s*(?::|\\()\\s*(\[^;\]+)\$" $statement -> key value]} { return }
  set value [regsub -all {[\s")]+} $value {}]
  if {[regexp {^-?\d{1,9}(\.\d*)?$} $value]} { set value [expr {double($value)}] }
  if {[dict exists $corner $key] && [dict get $corner $key] ne $value} {
    refuse "two corners mixed: $key is $value, and [dict get $corner $key] before"
  }
  dict set corner $key $value
}

# What an attribute of a cell or of its pins says against making logic of it; "": nothing.
proc liberty::cell_mark {key value} {
  set yes [expr {[string tolower $value] eq "true"}]
  if {$key eq "dont_use" && $yes} { return dont_use }
  if {$key in {pad_cell is_pad} && $yes} { return pad }
  if {$key eq "clock_gating_integrated_cell"} { return "clock gate" }
  return ""
}

# A number from 0 on with which one can reckon: Tcl's own test takes NaN, Inf and 0x10 as well.
proc liberty::is_size {text} {
  return [expr {[regexp {^\+?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?$} $text] && $text < 1e30}]
}

# Finds the cells the flow uses. Inputs come from the smallest buffer, outputs drive four of the smallest inverters.
proc liberty::roles {} {
  # A NOR2 has as many transistors as the NAND2 that areas are compared with.
  variable nand2 [smallest 1110]
  if {$nand2 eq ""} { set nand2 [smallest 1000] }
  variable inverter [smallest 10]
  variable driver [smallest 01]
  variable load
  variable flip_flop [flip_flop]
  variable inverse_only [inverse_only]
  if {$nand2 eq ""} { refuse "has no two-input NAND or NOR" }
  if {[area $nand2] == 0} { refuse "has a two-input gate, $nand2, without an area" }
  if {$inverter eq ""} { refuse "has no inverter" }
  if {$driver eq ""} { set driver $inverter }
  set load [expr {4 * [input_capacitance $inverter]}]
}

# One that has a preset, too, or that takes the falling edge only where there is no other.
proc liberty::flip_flop {} {
  variable cells
  set best {}
  dict for {cell facts} $cells {
    set ff [dict get $facts ff]
    if {[dict get $facts passed_over] ne "" || ![dict exists $ff clear] || ![dict exists $ff next_state]} { continue }
    set input [string trim [dict get $ff next_state] "() !"]
    if {![dict exists [dict get $facts pins] $input]} { continue }
    set falls [expr {[dict exists $ff clocked_on] && [regexp {[!']} [dict get $ff clocked_on]]}]
    lappend best [list [expr {2 * [dict exists $ff preset] + $falls}] [dict get $facts area] $cell]
  }
  return [lindex [lsort -real -index 0 [lsort -real -index 1 $best]] 0 2]
}

proc liberty::inverse_only {} {
  variable cells
  set states {}
  dict for {cell facts} $cells {
    if {[dict get $facts state] eq "" || [dict get $facts passed_over] ne ""} { continue }
    set functions [lmap pin [dict values [dict get $facts pins]] { dict get $pin function }]
    if {[dict get $facts state] ni $functions} { lappend states [dict get $facts state] }
  }
  return [lsort -unique $states]
}

# The value of a Liberty function for given inputs: ! before, ' after, * & and a blank between, + |, ^. An error for
# anything else: the text goes to `expr`, which runs what stands in brackets.
proc liberty::evaluate {function inputs} {
  set text [regsub -all {\s*([()!'*&+|^])\s*} $function {\1}]
  set text [regsub -all {\s+} $text {*}]
  foreach {pin value} $inputs { set text [regsub -all "\\m[regsub -all {\W} $pin {\\&}]\\M" $text $value] }
  if {![regexp {^[01()!'*&+|^]+$} $text] || [string length $text] > 1000} { refuse "function : $function has other than inputs and operators" }
  # Products may be written without an operator.
  set text [regsub -all {''} $text {}]
  while {[regsub -all {([01])'} $text {(!\1)} text] || [regsub -all {(\([^()]*\))'} $text {(!\1)} text]} {}
  set text [regsub -all {([01)])(?=[01(!])} $text {\1*}]
  return [expr [string map {* && & && + || | || ^ !=} $text]]
}

# The smallest combinational cell whose one output has that truth table, inputs counting up from all 0; "" if none. Not
# among those of `without`.
proc liberty::smallest {table {without {}}} {
  variable cells
  set best ""
  dict for {cell facts} $cells {
    if {$cell in $without} { continue }
    if {[dict get $facts sequential] || [dict get $facts passed_over] ne ""} { continue }
    if {[truth_table [dict get $facts pins]] ne $table} { continue }
    if {$best eq "" || [dict get $facts area] < [dict get $cells $best area]} { set best $cell }
  }
  return $best
}

proc liberty::truth_table {pins} {
  set inputs {}
  set functions {}
  dict for {pin facts} $pins {
    switch -- [dict get $facts direction] {
      input { lappend inputs $pin }
      output { lappend functions [dict get $facts function] }
      default { return "" }
    }
  }
  if {[llength $inputs] > 2 || [llength $functions] != 1 || [lindex $functions 0] eq ""} { return "" }
  set table ""
  for {set row 0} {$row < 1 << [llength $inputs]} {incr row} {
    set values {}
    for {set i 0} {$i < [llength $inputs]} {incr i} { lappend values [lindex $inputs $i] [expr {$row >> $i & 1}] }
    if {[catch {evaluate [lindex $functions 0] $values} value]} { return "" }
    append table [expr {!!$value}]
  }
  return $table
}

# Capacitance of a cell's first input, in picofarads.
proc liberty::input_capacitance {cell} {
  variable cells
  variable farads
  dict for {pin facts} [dict get $cells $cell pins] {
    if {[dict get $facts direction] eq "input"} { return [expr {[dict get $facts capacitance] * $farads}] }
  }
}

proc liberty::area {cell} {
  variable cells
  return [dict get $cells $cell area]
}
