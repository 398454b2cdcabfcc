// The pins that Vitis gives the kernel, included where the ports of a module are listed that has BusBytes and DataBits:
// of vivado/rtl/cpt_kernel.sv and hls/cosim/cpt_kernel.sv. vivado/ip/cpt_kernel_ip.v repeats them in plain Verilog.

`define MASTER_PORTS(PORT) \
    output logic [31:0]         PORT``_awaddr, \
    output logic [0:0]          PORT``_awid, \
    output logic [7:0]          PORT``_awlen, \
    output logic [2:0]          PORT``_awsize, \
    output logic [1:0]          PORT``_awburst, \
    output logic                PORT``_awvalid, \
    input  logic                PORT``_awready, \
    output logic [DataBits-1:0] PORT``_wdata, \
    output logic [BusBytes-1:0] PORT``_wstrb, \
    output logic                PORT``_wlast, \
    output logic                PORT``_wvalid, \
    input  logic                PORT``_wready, \
    input  logic [0:0]          PORT``_bid, \
    input  logic [1:0]          PORT``_bresp, \
    input  logic                PORT``_bvalid, \
    output logic                PORT``_bready, \
    output logic [31:0]         PORT``_araddr, \
    output logic [0:0]          PORT``_arid, \
    output logic [7:0]          PORT``_arlen, \
    output logic [2:0]          PORT``_arsize, \
    output logic [1:0]          PORT``_arburst, \
    output logic                PORT``_arvalid, \
    input  logic                PORT``_arready, \
    input  logic [0:0]          PORT``_rid, \
    input  logic [DataBits-1:0] PORT``_rdata, \
    input  logic [1:0]          PORT``_rresp, \
    input  logic                PORT``_rlast, \
    input  logic                PORT``_rvalid, \
    output logic                PORT``_rready

    input  logic        ap_clk,
    input  logic        ap_rst_n,
    output logic        interrupt,
    input  logic [11:0] s_axi_control_awaddr,
    input  logic        s_axi_control_awvalid,
    output logic        s_axi_control_awready,
    input  logic [31:0] s_axi_control_wdata,
    input  logic [ 3:0] s_axi_control_wstrb,
    input  logic        s_axi_control_wvalid,
    output logic        s_axi_control_wready,
    output logic [ 1:0] s_axi_control_bresp,
    output logic        s_axi_control_bvalid,
    input  logic        s_axi_control_bready,
    input  logic [11:0] s_axi_control_araddr,
    input  logic        s_axi_control_arvalid,
    output logic        s_axi_control_arready,
    output logic [31:0] s_axi_control_rdata,
    output logic [ 1:0] s_axi_control_rresp,
    output logic        s_axi_control_rvalid,
    input  logic        s_axi_control_rready,
    `MASTER_PORTS(m_axi_commands),
    `MASTER_PORTS(m_axi_loads),
    `MASTER_PORTS(m_axi_stores)
