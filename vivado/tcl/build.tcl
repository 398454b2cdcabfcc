# The entry: `make -C vivado ip|bitstream` starts Vivado in batch mode with this file. settings.tcl says what it takes.

set scripts [file dirname [file normalize [info script]]]
foreach part {contract settings package memory_ps memory_pl design implement} {
    source [file join $scripts $part.tcl]
}

proc main {scripts} {
    set settings [read_settings [file normalize [file join $scripts .. ..]]]
    if {[dict get $settings stage] eq "ip"} {
        package_ips $settings
        puts "ip: packaged into [dict get $settings repository]"
    } else {
        build_overlay $settings
    }
}

if {[catch {main $scripts} message options]} {
    # An error the user can fix is one line; anything else is a mistake in these scripts, shown with its place.
    if {[dict get $options -errorcode] ne "CPT_REFUSED"} {
        puts stderr [dict get $options -errorinfo]
    }
    puts stderr "vivado/tcl: $message"
    exit 1
}
exit 0
