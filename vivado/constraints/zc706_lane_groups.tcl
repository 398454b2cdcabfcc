# PBLOCKS=rows. The zc706 core's lanes in six groups of eight, a row of clock regions each: memories, operands and dot
# products of a lane stay together. Soft, as the ARM takes a part of the upper rows.
set groups 6
for {set group 0} {$group < $groups} {incr group} {
    set block [create_pblock lanes_$group]
    resize_pblock $block -add CLOCKREGION_X0Y$group:CLOCKREGION_X1Y$group
    set_property IS_SOFT TRUE $block
    for {set lane [expr {8 * $group}]} {$lane < 8 * $group + 8} {incr lane} {
        foreach part [list "u_core/gen_lane\\\[$lane\\\].u_lane" "u_array/gen_row\\\[$lane\\\].*"] {
            add_cells_to_pblock $block [get_cells -hierarchical -regexp ".*/$part"]
        }
    }
}
