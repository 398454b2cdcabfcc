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
  import rounding_pkg::*;
#(
    parameter  int unsigned BuildNumber = 0,  ///< 0: tiny, 1: zc706, 3: zc706_train
    parameter  bit          VectorUnit  = 0,  ///< the commands from MAP on
    localparam build_t      Build       = BuildNumber == 0 ? BUILD_TINY : BuildNumber == 1 ? BUILD_ZC706
                                                                          : BUILD_ZC706_TRAIN,
    localparam int unsigned BusBytes    = Build.bus_bytes,
    localparam int unsigned DataBits    = 8 * BusBytes
) (
`include "cpt_kernel_pins.svh"
);
  localparam logic [2:0] BeatSize = 3'($clog2(BusBytes));
  localparam int unsigned MaxReads = 64;    // rows are short: one beat a burst and 60 cycles of latency
  localparam int unsigned MaxWrites = 64;   // as short in a WGRAD

  if (BuildNumber > 1 && BuildNumber != 3) begin : gen_bad_build
    $error("cpt_kernel: BuildNumber is not 0 (tiny), 1 (zc706) or 3 (zc706_train)");
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

  control_registers #(.Build(Build), .VectorUnit(VectorUnit)) u_registers (
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
  logic cmd_valid, cmd_ready, core_done, load_error, store_error, flush, core_idle;
  logic vector_valid, vector_ready, vector_done;
  decoded_t cmd;
  words_t vector_words;
  logic [20:0] vector_count;
  logic [7:0] vector_error;
  assign cmd_done = core_done || vector_done;

  list_runner #(.Build(Build), .VectorUnit(VectorUnit)) u_runner (
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
      .cmd_done_i     (core_done),
      .load_error_i   (load_error),
      .store_error_i  (store_error),
      .vector_valid_o (vector_valid),
      .vector_ready_i (vector_ready),
      .vector_words_o (vector_words),
      .vector_count_o (vector_count),
      .vector_done_i  (vector_done),
      .vector_error_i (vector_error),
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

  // The core and the vector unit share two engines.
  logic rd_req_valid, rd_req_ready, rd_data_valid, rd_data_ready, rd_data_last, rd_data_error, rd_idle;
  logic wr_req_valid, wr_req_ready, wr_data_valid, wr_data_ready, wr_idle, wr_error;
  logic [31:0] rd_req_addr, wr_req_addr;
  logic [17:0] rd_req_bytes, wr_req_bytes;
  logic [DataBits-1:0] rd_data, wr_data;
  logic core_rd_req_valid, core_rd_req_ready, core_rd_valid, core_rd_ready;
  logic core_wr_req_valid, core_wr_req_ready, core_wr_valid, core_wr_ready;
  logic [31:0] core_rd_req_addr, core_wr_req_addr;
  logic [17:0] core_rd_req_bytes, core_wr_req_bytes;
  logic [DataBits-1:0] core_wr_data;

  lent_t lent;
  logic [15:0][15:0] lent_values;
  core #(.Build(Build), .VectorUnit(VectorUnit)) u_core (
      .clk_i          (ap_clk),
      .rst_ni         (ap_rst_n),
      .flush_i        (flush),
      .idle_o         (core_idle),
      .cmd_valid_i    (cmd_valid),
      .cmd_ready_o    (cmd_ready),
      .cmd_i          (cmd),
      .mem_base_i     (region),
      .cmd_done_o     (core_done),
      .load_error_o   (load_error),
      .store_error_o  (store_error),
      .busy_o         (busy),
      .load_stall_o   (load_stall),
      .store_stall_o  (store_stall),
      .rd_req_valid_o (core_rd_req_valid),
      .rd_req_ready_i (core_rd_req_ready),
      .rd_req_addr_o  (core_rd_req_addr),
      .rd_req_bytes_o (core_rd_req_bytes),
      .rd_data_valid_i(core_rd_valid),
      .rd_data_ready_o(core_rd_ready),
      .rd_data_i      (rd_data),
      .rd_last_i      (rd_data_last),
      .rd_error_i     (rd_data_error),
      .rd_idle_i      (rd_idle),
      .wr_req_valid_o (core_wr_req_valid),
      .wr_req_ready_i (core_wr_req_ready),
      .wr_req_addr_o  (core_wr_req_addr),
      .wr_req_bytes_o (core_wr_req_bytes),
      .wr_data_valid_o(core_wr_valid),
      .wr_data_ready_i(core_wr_ready),
      .wr_data_o      (core_wr_data),
      .wr_idle_i      (wr_idle),
      .wr_error_i     (wr_error),
      .lent_i         (lent),
      .lent_values_o  (lent_values)
  );

  if (VectorUnit) begin : gen_vector
    logic active, v_rd_req_valid, v_rd_req_ready, v_rd_valid, v_rd_ready;
    logic v_wr_req_valid, v_wr_req_ready, v_wr_valid, v_wr_ready;
    logic [31:0] v_rd_req_addr, v_wr_req_addr;
    logic [17:0] v_rd_req_bytes, v_wr_req_bytes;
    logic [DataBits-1:0] v_wr_data;
    localparam bit Compact = core_pkg::compact(Build.lanes, Build.slice_groups);
    vector_unit #(
        .BusBytes(BusBytes), .PortBytes(Compact ? 32 : BusBytes), .NarrowBytes(Compact ? 16 : BusBytes)
    ) u_vector (
        .clk_i          (ap_clk),
        .rst_ni         (ap_rst_n),
        .flush_i        (flush),
        .cmd_valid_i    (vector_valid),
        .cmd_ready_o    (vector_ready),
        .words_i        (vector_words),
        .count_i        (vector_count),
        .mem_base_i     (region),
        .active_o       (active),
        .done_o         (vector_done),
        .error_o        (vector_error),
        .rd_req_valid_o (v_rd_req_valid),
        .rd_req_ready_i (v_rd_req_ready),
        .rd_req_addr_o  (v_rd_req_addr),
        .rd_req_bytes_o (v_rd_req_bytes),
        .rd_data_valid_i(v_rd_valid),
        .rd_data_ready_o(v_rd_ready),
        .rd_data_i      (rd_data),
        .rd_last_i      (rd_data_last),
        .rd_error_i     (rd_data_error),
        .wr_req_valid_o (v_wr_req_valid),
        .wr_req_ready_i (v_wr_req_ready),
        .wr_req_addr_o  (v_wr_req_addr),
        .wr_req_bytes_o (v_wr_req_bytes),
        .wr_data_valid_o(v_wr_valid),
        .wr_data_ready_i(v_wr_ready),
        .wr_data_o      (v_wr_data),
        .wr_idle_i      (wr_idle),
        .wr_error_i     (wr_error),
        .lent_o         (lent),
        .rounded_i      (lent_values)
    );
    port_share #(.BusBytes(BusBytes)) u_share (
        .vector_i             (active),
        .core_rd_req_valid_i  (core_rd_req_valid),
        .core_rd_req_ready_o  (core_rd_req_ready),
        .core_rd_req_addr_i   (core_rd_req_addr),
        .core_rd_req_bytes_i  (core_rd_req_bytes),
        .core_rd_valid_o      (core_rd_valid),
        .core_rd_ready_i      (core_rd_ready),
        .core_wr_req_valid_i  (core_wr_req_valid),
        .core_wr_req_ready_o  (core_wr_req_ready),
        .core_wr_req_addr_i   (core_wr_req_addr),
        .core_wr_req_bytes_i  (core_wr_req_bytes),
        .core_wr_valid_i      (core_wr_valid),
        .core_wr_ready_o      (core_wr_ready),
        .core_wr_data_i       (core_wr_data),
        .vector_rd_req_valid_i(v_rd_req_valid),
        .vector_rd_req_ready_o(v_rd_req_ready),
        .vector_rd_req_addr_i (v_rd_req_addr),
        .vector_rd_req_bytes_i(v_rd_req_bytes),
        .vector_rd_valid_o    (v_rd_valid),
        .vector_rd_ready_i    (v_rd_ready),
        .vector_wr_req_valid_i(v_wr_req_valid),
        .vector_wr_req_ready_o(v_wr_req_ready),
        .vector_wr_req_addr_i (v_wr_req_addr),
        .vector_wr_req_bytes_i(v_wr_req_bytes),
        .vector_wr_valid_i    (v_wr_valid),
        .vector_wr_ready_o    (v_wr_ready),
        .vector_wr_data_i     (v_wr_data),
        .rd_req_valid_o       (rd_req_valid),
        .rd_req_ready_i       (rd_req_ready),
        .rd_req_addr_o        (rd_req_addr),
        .rd_req_bytes_o       (rd_req_bytes),
        .rd_valid_i           (rd_data_valid),
        .rd_ready_o           (rd_data_ready),
        .wr_req_valid_o       (wr_req_valid),
        .wr_req_ready_i       (wr_req_ready),
        .wr_req_addr_o        (wr_req_addr),
        .wr_req_bytes_o       (wr_req_bytes),
        .wr_valid_o           (wr_data_valid),
        .wr_ready_i           (wr_data_ready),
        .wr_data_o            (wr_data)
    );
  end else begin : gen_matrix
    assign {vector_ready, vector_done, vector_error} = '0;
    assign lent = '0;
    assign {rd_req_valid, rd_req_addr, rd_req_bytes} = {core_rd_req_valid, core_rd_req_addr, core_rd_req_bytes};
    assign {wr_req_valid, wr_req_addr, wr_req_bytes} = {core_wr_req_valid, core_wr_req_addr, core_wr_req_bytes};
    assign {core_rd_req_ready, core_rd_valid, rd_data_ready} = {rd_req_ready, rd_data_valid, core_rd_ready};
    assign {core_wr_req_ready, wr_data_valid, core_wr_ready} = {wr_req_ready, core_wr_valid, wr_data_ready};
    assign wr_data = core_wr_data;
    logic unused_vector;
    assign unused_vector = &{1'b0, vector_valid, vector_words, vector_count, lent_values};
  end

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
