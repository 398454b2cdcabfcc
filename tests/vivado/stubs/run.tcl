# Runs vivado/tcl/build.tcl with the stubs; argument or STUB_SCRIPT: its path. Prints every proc of the scripts as
# DEFINED and, when it is entered, ENTERED.

set here [file dirname [file normalize [info script]]]
foreach stubs {table tool block_design} {
    source [file join $here $stubs.tcl]
}

rename proc define
define proc {name arguments body} {
    puts "DEFINED $name"
    uplevel 1 [list define $name $arguments $body]
    trace add execution $name enter entered
}
define entered {command operation} {
    puts "ENTERED [lindex $command 0]"
}
source $::env(STUB_SCRIPT)
