/// The accelerator behind the pins that Vitis would give it: AXI4-Lite registers, three AXI4 masters, an interrupt.
///
/// SW_RESET does not reset the AXI engines: what they have begun runs dry, so the bus never sees a broken burst.

// Every burst is of whole beats at rising addresses.
`define MASTER_CONSTANTS(PORT) \
  assign PORT``_awid = '0; \
  assign PORT``_awsize = BeatSize; \
  assign PORT``_awburst = 2'b01; \
  assign PORT``_arid = '0; \
  assign PORT``_arsize = BeatSize; \
  assign PORT``_arburst = 2'b01;

`define MASTER_WRITES_NOTHING(PORT) \
  assign PORT``_awaddr = '0; \
  assign PORT``_awlen = '0; \
  assign PORT``_awvalid = 1'b0; \
  assign PORT``_wdata = '0; \
  assign PORT``_wstrb = '0; \
  assign PORT``_wlast = 1'b0; \
  assign PORT``_wvalid = 1'b0; \
  assign PORT``_bready = 1'b1;

`define MASTER_READS_NOTHING(PORT) \
  assign PORT``_araddr = '0; \
  assign PORT``_arlen = '0; \
  assign PORT``_arvalid = 1'b0; \
  assign PORT``_rready = 1'b1;

module cpt_kernel
  import contract_pkg::*;
  import command_pkg::*;
#(
    parameter  int unsigned BuildNumber = 0,  ///< 0: tiny, 1: zc706
    localparam build_t      Build       = BuildNumber == 0 ? BUILD_TINY : BUILD_ZC706,
    localparam int unsigned BusBytes    = Build.bus_bytes,
    localparam int unsigned DataBits    = 8 * BusBytes
) (
`include "cpt_kernel_pins.svh"
);
  localparam logic [2:0] BeatSize = 3'($clog2(BusBytes));
  localparam int unsigned MaxReads = 64;    // rows are short: one beat a burst and 60 cycles of latency
  localparam int unsigned MaxWrites = 64;   // as short in a WGRAD

  if (BuildNumber > 1) begin : gen_bad_build
    $error("cpt_kernel: BuildNumber is not 0 (tiny) or 1 (zc706)");
  end

  `MASTER_CONSTANTS(m_axi_commands)
  `MASTER_CONSTANTS(m_axi_loads)
  `MASTER_CONSTANTS(m_axi_stores)
  `MASTER_WRITES_NOTHING(m_axi_commands)
  `MASTER_WRITES_NOTHING(m_axi_loads)
  `MASTER_READS_NOTHING(m_axi_stores)

  // Registers and counters.
  logic soft_reset, start, draining, list_begin, list_done;
  logic [63:0] mem_base, counters[4];
  logic [31:0] mem_bytes, list_offset, list_bytes, error_index, commands_done;
  logic [ 7:0] status;

  assign s_axi_control_bresp = '0;
  assign s_axi_control_rresp = '0;

  control_registers #(.Build(Build)) u_registers (
      .clk_i          (ap_clk),
      .rst_ni         (ap_rst_n),
      .interrupt_o    (interrupt),
      .soft_reset_o   (soft_reset),
      .start_o        (start),
      .mem_base_o     (mem_base),
      .mem_bytes_o    (mem_bytes),
      .list_offset_o  (list_offset),
      .list_bytes_o   (list_bytes),
      .draining_i     (draining),
      .done_i         (list_done),
      .status_i       (status),
      .error_index_i  (error_index),
      .commands_done_i(commands_done),
      .counters_i     (counters),
      .aw_addr_i      (s_axi_control_awaddr),
      .aw_valid_i     (s_axi_control_awvalid),
      .aw_ready_o     (s_axi_control_awready),
      .w_data_i       (s_axi_control_wdata),
      .w_strb_i       (s_axi_control_wstrb),
      .w_valid_i      (s_axi_control_wvalid),
      .w_ready_o      (s_axi_control_wready),
      .b_valid_o      (s_axi_control_bvalid),
      .b_ready_i      (s_axi_control_bready),
      .ar_addr_i      (s_axi_control_araddr),
      .ar_valid_i     (s_axi_control_arvalid),
      .ar_ready_o     (s_axi_control_arready),
      .r_data_o       (s_axi_control_rdata),
      .r_valid_o      (s_axi_control_rvalid),
      .r_ready_i      (s_axi_control_rready)
  );

  logic busy, load_stall, store_stall;
  logic cmd_done /* verilator public_flat_rd */;   // for the harness, which notes each command's counters

  cycle_counters u_counters (
      .clk_i     (ap_clk),
      .begin_i   (list_begin),
      .events_i  ({store_stall, load_stall, busy}),
      .keep_i    (cmd_done || (list_done && status == 8'(ERROR_OK))),
      .counters_o(counters)
  );

  // Commands.
  logic [31:0] region;
  logic cmd_valid, cmd_ready, load_error, store_error, flush, core_idle;
  decoded_t cmd;

  list_runner #(.Build(Build)) u_runner (
      .clk_i          (ap_clk),
      .rst_ni         (ap_rst_n),
      .soft_reset_i   (soft_reset),
      .start_i        (start),
      .mem_base_i     (mem_base),
      .mem_bytes_i    (mem_bytes),
      .list_offset_i  (list_offset),
      .list_bytes_i   (list_bytes),
      .draining_o     (draining),
      .begin_o        (list_begin),
      .done_o         (list_done),
      .status_o       (status),
      .error_index_o  (error_index),
      .commands_done_o(commands_done),
      .mem_base_o     (region),
      .cmd_valid_o    (cmd_valid),
      .cmd_ready_i    (cmd_ready),
      .cmd_o          (cmd),
      .cmd_done_i     (cmd_done),
      .load_error_i   (load_error),
      .store_error_i  (store_error),
      .flush_o        (flush),
      .core_idle_i    (core_idle),
      .ar_valid_o     (m_axi_commands_arvalid),
      .ar_ready_i     (m_axi_commands_arready),
      .ar_addr_o      (m_axi_commands_araddr),
      .ar_len_o       (m_axi_commands_arlen),
      .r_valid_i      (m_axi_commands_rvalid),
      .r_ready_o      (m_axi_commands_rready),
      .r_data_i       (m_axi_commands_rdata),
      .r_resp_i       (m_axi_commands_rresp)
  );

  // The core between its two engines.
  logic rd_req_valid, rd_req_ready, rd_data_valid, rd_data_ready, rd_data_last, rd_data_error, rd_idle;
  logic wr_req_valid, wr_req_ready, wr_data_valid, wr_data_ready, wr_idle, wr_error;
  logic [31:0] rd_req_addr, wr_req_addr;
  logic [17:0] rd_req_bytes, wr_req_bytes;
  logic [DataBits-1:0] rd_data, wr_data;

  core #(.Build(Build)) u_core (
      .clk_i          (ap_clk),
      .rst_ni         (ap_rst_n),
      .flush_i        (flush),
      .idle_o         (core_idle),
      .cmd_valid_i    (cmd_valid),
      .cmd_ready_o    (cmd_ready),
      .cmd_i          (cmd),
      .mem_base_i     (region),
      .cmd_done_o     (cmd_done),
      .load_error_o   (load_error),
      .store_error_o  (store_error),
      .busy_o         (busy),
      .load_stall_o   (load_stall),
      .store_stall_o  (store_stall),
      .rd_req_valid_o (rd_req_valid),
      .rd_req_ready_i (rd_req_ready),
      .rd_req_addr_o  (rd_req_addr),
      .rd_req_bytes_o (rd_req_bytes),
      .rd_data_valid_i(rd_data_valid),
      .rd_data_ready_o(rd_data_ready),
      .rd_data_i      (rd_data),
      .rd_last_i      (rd_data_last),
      .rd_error_i     (rd_data_error),
      .rd_idle_i      (rd_idle),
      .wr_req_valid_o (wr_req_valid),
      .wr_req_ready_i (wr_req_ready),
      .wr_req_addr_o  (wr_req_addr),
      .wr_req_bytes_o (wr_req_bytes),
      .wr_data_valid_o(wr_data_valid),
      .wr_data_ready_i(wr_data_ready),
      .wr_data_o      (wr_data),
      .wr_idle_i      (wr_idle),
      .wr_error_i     (wr_error)
  );

  axi_reader #(.BusBytes(BusBytes), .MaxOutstanding(MaxReads)) u_reader (
      .clk_i       (ap_clk),
      .rst_ni      (ap_rst_n),
      .flush_i     (flush),
      .idle_o      (rd_idle),
      .req_valid_i (rd_req_valid),
      .req_ready_o (rd_req_ready),
      .req_addr_i  (rd_req_addr),
      .req_bytes_i (rd_req_bytes),
      .data_valid_o(rd_data_valid),
      .data_ready_i(rd_data_ready),
      .data_o      (rd_data),
      .data_last_o (rd_data_last),
      .data_error_o(rd_data_error),
      .ar_valid_o  (m_axi_loads_arvalid),
      .ar_ready_i  (m_axi_loads_arready),
      .ar_addr_o   (m_axi_loads_araddr),
      .ar_len_o    (m_axi_loads_arlen),
      .r_valid_i   (m_axi_loads_rvalid),
      .r_ready_o   (m_axi_loads_rready),
      .r_data_i    (m_axi_loads_rdata),
      .r_resp_i    (m_axi_loads_rresp),
      .r_last_i    (m_axi_loads_rlast)
  );

  axi_writer #(.BusBytes(BusBytes), .MaxOutstanding(MaxWrites)) u_writer (
      .clk_i       (ap_clk),
      .rst_ni      (ap_rst_n),
      .flush_i     (flush),
      .idle_o      (wr_idle),
      .error_o     (wr_error),
      .req_valid_i (wr_req_valid),
      .req_ready_o (wr_req_ready),
      .req_addr_i  (wr_req_addr),
      .req_bytes_i (wr_req_bytes),
      .data_valid_i(wr_data_valid),
      .data_ready_o(wr_data_ready),
      .data_i      (wr_data),
      .aw_valid_o  (m_axi_stores_awvalid),
      .aw_ready_i  (m_axi_stores_awready),
      .aw_addr_o   (m_axi_stores_awaddr),
      .aw_len_o    (m_axi_stores_awlen),
      .w_valid_o   (m_axi_stores_wvalid),
      .w_ready_i   (m_axi_stores_wready),
      .w_data_o    (m_axi_stores_wdata),
      .w_strb_o    (m_axi_stores_wstrb),
      .w_last_o    (m_axi_stores_wlast),
      .b_valid_i   (m_axi_stores_bvalid),
      .b_ready_o   (m_axi_stores_bready),
      .b_resp_i    (m_axi_stores_bresp)
  );

  // Inputs of master channels that are never used, and ids, which are all 0.
  logic unused;
  assign unused = &{1'b0,
      m_axi_commands_awready, m_axi_commands_wready, m_axi_commands_bid, m_axi_commands_bresp, m_axi_commands_bvalid,
      m_axi_commands_rid, m_axi_commands_rlast,
      m_axi_loads_awready, m_axi_loads_wready, m_axi_loads_bid, m_axi_loads_bresp, m_axi_loads_bvalid, m_axi_loads_rid,
      m_axi_stores_bid, m_axi_stores_arready, m_axi_stores_rid, m_axi_stores_rdata, m_axi_stores_rresp,
      m_axi_stores_rlast, m_axi_stores_rvalid};
endmodule
