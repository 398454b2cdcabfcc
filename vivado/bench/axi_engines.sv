/// Both AXI engines behind the pins of one AXI4 master, with the handshake rules watched: what the unit bench drives.
module axi_engines #(
    parameter  int unsigned BusBytes       = 8,
    parameter  int unsigned MaxOutstanding = 4,
    localparam int unsigned DataBits       = 8 * BusBytes
) (
    input  logic                clk,
    input  logic                rst_n,
    input  logic                flush,
    output logic                read_idle,
    output logic                write_idle,
    output logic                write_error,
    input  logic                rreq_valid,
    output logic                rreq_ready,
    input  logic [        31:0] rreq_addr,
    input  logic [        17:0] rreq_bytes,
    output logic                rdata_valid,
    input  logic                rdata_ready,
    output logic [DataBits-1:0] rdata_data,
    output logic                rdata_last,
    output logic                rdata_error,
    input  logic                wreq_valid,
    output logic                wreq_ready,
    input  logic [        31:0] wreq_addr,
    input  logic [        17:0] wreq_bytes,
    input  logic                wdata_valid,
    output logic                wdata_ready,
    input  logic [DataBits-1:0] wdata_data,
    output logic [        31:0] m_axi_awaddr,
    output logic [         0:0] m_axi_awid,
    output logic [         7:0] m_axi_awlen,
    output logic [         2:0] m_axi_awsize,
    output logic [         1:0] m_axi_awburst,
    output logic                m_axi_awvalid,
    input  logic                m_axi_awready,
    output logic [DataBits-1:0] m_axi_wdata,
    output logic [BusBytes-1:0] m_axi_wstrb,
    output logic                m_axi_wlast,
    output logic                m_axi_wvalid,
    input  logic                m_axi_wready,
    input  logic [         0:0] m_axi_bid,
    input  logic [         1:0] m_axi_bresp,
    input  logic                m_axi_bvalid,
    output logic                m_axi_bready,
    output logic [        31:0] m_axi_araddr,
    output logic [         0:0] m_axi_arid,
    output logic [         7:0] m_axi_arlen,
    output logic [         2:0] m_axi_arsize,
    output logic [         1:0] m_axi_arburst,
    output logic                m_axi_arvalid,
    input  logic                m_axi_arready,
    input  logic [         0:0] m_axi_rid,
    input  logic [DataBits-1:0] m_axi_rdata,
    input  logic [         1:0] m_axi_rresp,
    input  logic                m_axi_rlast,
    input  logic                m_axi_rvalid,
    output logic                m_axi_rready
);
  localparam logic [2:0] BeatSize = 3'($clog2(BusBytes));

  assign {m_axi_awid, m_axi_arid}       = '0;
  assign {m_axi_awsize, m_axi_arsize}   = {2{BeatSize}};
  assign {m_axi_awburst, m_axi_arburst} = {2{2'b01}};

  axi_reader #(.BusBytes(BusBytes), .MaxOutstanding(MaxOutstanding)) u_reader (
      .clk_i       (clk),
      .rst_ni      (rst_n),
      .flush_i     (flush),
      .idle_o      (read_idle),
      .req_valid_i (rreq_valid),
      .req_ready_o (rreq_ready),
      .req_addr_i  (rreq_addr),
      .req_bytes_i (rreq_bytes),
      .data_valid_o(rdata_valid),
      .data_ready_i(rdata_ready),
      .data_o      (rdata_data),
      .data_last_o (rdata_last),
      .data_error_o(rdata_error),
      .ar_valid_o  (m_axi_arvalid),
      .ar_ready_i  (m_axi_arready),
      .ar_addr_o   (m_axi_araddr),
      .ar_len_o    (m_axi_arlen),
      .r_valid_i   (m_axi_rvalid),
      .r_ready_o   (m_axi_rready),
      .r_data_i    (m_axi_rdata),
      .r_resp_i    (m_axi_rresp),
      .r_last_i    (m_axi_rlast)
  );

  axi_writer #(.BusBytes(BusBytes), .MaxOutstanding(MaxOutstanding)) u_writer (
      .clk_i       (clk),
      .rst_ni      (rst_n),
      .flush_i     (flush),
      .idle_o      (write_idle),
      .error_o     (write_error),
      .req_valid_i (wreq_valid),
      .req_ready_o (wreq_ready),
      .req_addr_i  (wreq_addr),
      .req_bytes_i (wreq_bytes),
      .data_valid_i(wdata_valid),
      .data_ready_o(wdata_ready),
      .data_i      (wdata_data),
      .aw_valid_o  (m_axi_awvalid),
      .aw_ready_i  (m_axi_awready),
      .aw_addr_o   (m_axi_awaddr),
      .aw_len_o    (m_axi_awlen),
      .w_valid_o   (m_axi_wvalid),
      .w_ready_i   (m_axi_wready),
      .w_data_o    (m_axi_wdata),
      .w_strb_o    (m_axi_wstrb),
      .w_last_o    (m_axi_wlast),
      .b_valid_i   (m_axi_bvalid),
      .b_ready_o   (m_axi_bready),
      .b_resp_i    (m_axi_bresp)
  );

  axi_rules #(.BusBytes(BusBytes)) u_rules (
      .clk_i     (clk),
      .rst_ni    (rst_n),
      .aw_addr_i (m_axi_awaddr),
      .aw_len_i  (m_axi_awlen),
      .aw_valid_i(m_axi_awvalid),
      .aw_ready_i(m_axi_awready),
      .w_data_i  (m_axi_wdata),
      .w_strb_i  (m_axi_wstrb),
      .w_last_i  (m_axi_wlast),
      .w_valid_i (m_axi_wvalid),
      .w_ready_i (m_axi_wready),
      .ar_addr_i (m_axi_araddr),
      .ar_len_i  (m_axi_arlen),
      .ar_valid_i(m_axi_arvalid),
      .ar_ready_i(m_axi_arready)
  );

  logic unused;
  assign unused = &{1'b0, m_axi_bid, m_axi_rid};
endmodule
