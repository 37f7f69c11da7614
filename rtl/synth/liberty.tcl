# SPDX-License-Identifier: Apache-2.0
# What synthesis and timing need to know about a Liberty file and neither tool tells: whether the file is whole, and which
# of its cells is the NAND2, the inverter, the buffer and so on, by function and area, not by name.
namespace eval liberty {
  variable cells          ;# cell -> dict: area, sequential, dont_use, pins (pin -> dict: direction, capacitance, function)
  variable library ""     ;# the library's own name
  variable farads 1.0     ;# picofarads in a unit of capacitance
  variable nand2          ;# its cells by function, and what inputs are driven by and outputs drive (pF)
  variable inverter
  variable driver
  variable load
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

# Reads FILE; an error says what is wrong with it and where.
proc liberty::read {file} {
  variable cells
  variable library
  set cells [dict create]
  set channel [open $file]
  set text [::read $channel]
  close $channel
  set text [without_comments $text]
  if {![regexp {^\s*library\s*\(} $text]} { refuse "does not begin with library (NAME)" }
  set line 1
  set open {}
  foreach statement [regexp -all -inline {(?:"[^"]*"|[^"\{\};])*[\{\};]} $text] {
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
      at_line $start { begin $open }
    } else {
      at_line $start { attributes $open $statement }
      if {$end eq "\}"} {
        if {[llength $open] == 0} { refuse "line $line: \} closes nothing" }
        set open [lrange $open 0 end-1]
      }
    }
  }
  if {[llength $open] > 0} {
    lassign [lindex $open end] group name start
    refuse "ends inside $group ($name) of line $start"
  }
  if {[dict size $cells] == 0} { refuse "has no cell" }
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
    library { set library $name }
    cell { dict set cells $name {area 0 sequential 0 dont_use 0 state "" pins {}} }
    ff - ff_bank - latch - latch_bank - statetable {
      if {[lindex $parent 0] eq "cell"} {
        dict set cells [lindex $parent 1] sequential 1
        if {$group eq "ff"} { dict set cells [lindex $parent 1] state [string trim [lindex [split $name ,] 0] " \t\""] }
      }
    }
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
    if {$group eq "cell" && $key eq "dont_use"} { dict set cells $name dont_use [expr {[string tolower $value] eq "true"}] }
    if {$group eq "pin" && [lindex $parent 0] eq "cell" && $key in {direction capacitance function}} {
      dict set cells [lindex $parent 1] pins $name $key $value
    }
  }
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
  variable inverse_only [inverse_only]
  if {$nand2 eq ""} { refuse "has no two-input NAND or NOR" }
  if {[area $nand2] == 0} { refuse "has a two-input gate, $nand2, without an area" }
  if {$inverter eq ""} { refuse "has no inverter" }
  if {$driver eq ""} { set driver $inverter }
  set load [expr {4 * [input_capacitance $inverter]}]
}

proc liberty::inverse_only {} {
  variable cells
  set states {}
  dict for {cell facts} $cells {
    if {[dict get $facts state] eq "" || [dict get $facts dont_use]} { continue }
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

# The smallest combinational cell whose one output has that truth table, inputs counting up from all 0; "" if none.
proc liberty::smallest {table} {
  variable cells
  set best ""
  dict for {cell facts} $cells {
    if {[dict get $facts sequential] || [dict get $facts dont_use]} { continue }
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
