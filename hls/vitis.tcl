# Vitis HLS for the ZC706: C-simulation, synthesis, co-simulation and IP export of the kernel.
#
# Run by `make -C hls csim|csynth|cosim|export BUILD=hls`, which says what to do through the environment:
#   CPT_STAGE    csim, csynth, cosim or export
#   CPT_BUILD    hls, tiny or zc706
#   CPT_FLAGS    of the compiler
#   CPT_SOURCES  the kernel's .cpp files, relative to this folder
#   CPT_VECTORS  test vectors (csim and cosim): a folder, or files with spaces between them

set part xc7z045ffg900-2
set clock_period 5.0

proc setting {name} {
    if {![info exists ::env($name)] || $::env($name) eq ""} {
        error "environment variable $name is not set: start this script through 'make -C hls csim|csynth|cosim|export'"
    }
    return $::env($name)
}

proc open_kernel {build part clock_period} {
    open_project -reset build/vitis_$build
    set_top cpt_kernel
    set flags [setting CPT_FLAGS]
    foreach source [setting CPT_SOURCES] {
        add_files $source -cflags $flags
    }
    add_files -tb testbench.cpp -cflags $flags
    open_solution -reset solution -flow_target vivado
    set_part $part
    create_clock -period $clock_period -name default
    # The registers are the contract's: SW_RESET in AP_CTRL, and 32-bit bus addresses as the Zynq-7000 has.
    config_interface -s_axilite_sw_reset
    config_interface -m_axi_addr64=false
    # A reset in mid-flight: bursts that were begun end first, as the contract asks. A release may not know it yet.
    if {[catch {config_interface -m_axi_flush_mode=true} problem]} {
        puts "WARNING: masters are not flushed by SW_RESET: $problem"
    }
}

proc run_stage {stage} {
    switch -- $stage {
        csim {
            csim_design -argv [setting CPT_VECTORS]
        }
        csynth {
            csynth_design
        }
        cosim {
            csynth_design
            cosim_design -argv [setting CPT_VECTORS]
        }
        export {
            csynth_design
            export_design -format ip_catalog -vendor cpt-kit -library kernel -version 1.0 -display_name "CPT kernel"
        }
        default {
            error "unknown stage '$stage': csim, csynth, cosim or export"
        }
    }
}

open_kernel [setting CPT_BUILD] $part $clock_period
run_stage [setting CPT_STAGE]
exit 0
