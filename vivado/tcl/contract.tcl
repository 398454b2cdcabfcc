# Generated from sim/contract/contract.toml by `cpt constants --write`; do not edit.

set contract(vlnv) cpt-kit:kernel:cpt_kernel:1.0
set contract(name) cpt
set contract(cell) cpt_kernel
set contract(pl_memory) pl_ddr3
set contract(part) xc7z045ffg900-2
set contract(clock_mhz) 200
set contract(control_bytes) 4096
set contract(rtl_builds) {tiny zc706 zc706_train}
set contract(hls_builds) {tiny zc706 hls}
set contract(builds) {tiny zc706 hls zc706_train}
set contract(tiny,build) 0
set contract(tiny,lanes) 16
set contract(tiny,columns) 16
set contract(tiny,slice_groups) 3
set contract(tiny,lane_words) 2048
set contract(tiny,column_words) 512
set contract(tiny,row_words) 256
set contract(tiny,bus_bytes) 8
set contract(zc706,build) 1
set contract(zc706,lanes) 48
set contract(zc706,columns) 16
set contract(zc706,slice_groups) 9
set contract(zc706,lane_words) 12288
set contract(zc706,column_words) 512
set contract(zc706,row_words) 1024
set contract(zc706,bus_bytes) 64
set contract(hls,build) 2
set contract(hls,lanes) 16
set contract(hls,columns) 16
set contract(hls,slice_groups) 3
set contract(hls,lane_words) 12288
set contract(hls,column_words) 1536
set contract(hls,row_words) 1024
set contract(hls,bus_bytes) 32
set contract(zc706_train,build) 3
set contract(zc706_train,lanes) 32
set contract(zc706_train,columns) 16
set contract(zc706_train,slice_groups) 9
set contract(zc706_train,lane_words) 8192
set contract(zc706_train,column_words) 512
set contract(zc706_train,row_words) 1024
set contract(zc706_train,bus_bytes) 64
