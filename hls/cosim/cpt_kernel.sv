/// The C++ kernel behind the pins that Vitis gives it: AXI4-Lite registers, three AXI4 masters, an interrupt.
///
/// Transaction-accurate: the kernel runs in C++ (dpi.cpp) and each of its memory accesses is one AXI burst of one beat
/// on the master it belongs to. Cycles mean nothing here; integers, addresses, strobes and responses do.

// Port NUMBER of the kernel drives master PORT; the answer of the port that waits is used.
`define MASTER_ASSIGN(PORT, NUMBER) \
  assign PORT``_awaddr = address_q; \
  assign PORT``_awid = '0; \
  assign PORT``_awlen = '0; \
  assign PORT``_awsize = BeatSize; \
  assign PORT``_awburst = 2'b01; \
  assign PORT``_awvalid = aw_valid_q && port_q == NUMBER; \
  assign PORT``_wdata = data_q; \
  assign PORT``_wstrb = strobe_q; \
  assign PORT``_wlast = 1'b1; \
  assign PORT``_wvalid = w_valid_q && port_q == NUMBER; \
  assign PORT``_bready = state_q == Write && port_q == NUMBER; \
  assign PORT``_araddr = address_q; \
  assign PORT``_arid = '0; \
  assign PORT``_arlen = '0; \
  assign PORT``_arsize = BeatSize; \
  assign PORT``_arburst = 2'b01; \
  assign PORT``_arvalid = ar_valid_q && port_q == NUMBER; \
  assign PORT``_rready = state_q == Read && port_q == NUMBER; \
  assign aw_ready[NUMBER] = PORT``_awready; \
  assign w_ready[NUMBER] = PORT``_wready; \
  assign b_valid[NUMBER] = PORT``_bvalid; \
  assign b_error[NUMBER] = PORT``_bresp[1]; \
  assign ar_ready[NUMBER] = PORT``_arready; \
  assign r_valid[NUMBER] = PORT``_rvalid; \
  assign r_error[NUMBER] = PORT``_rresp[1]; \
  assign r_data[NUMBER] = PORT``_rdata;

module cpt_kernel #(
    parameter  int unsigned BusBytes = 8,             ///< width of the masters' data: the build's bus_bytes
    localparam int unsigned DataBits = 8 * BusBytes
) (
`include "../../vivado/rtl/cpt_kernel_pins.svh"
);
  localparam logic [2:0] BeatSize = 3'($clog2(BusBytes));

  // The kernel in C++: dpi.cpp. A request is one beat that the running kernel waits for.
  import "DPI-C" context function void cpt_write_register(input int unsigned offset, input int unsigned value);
  import "DPI-C" context function int unsigned cpt_read_register(input int unsigned offset);
  import "DPI-C" context function bit cpt_interrupt();
  import "DPI-C" context function bit cpt_running();
  import "DPI-C" context function void cpt_reset();
  import "DPI-C" context function void cpt_next_request(
    output int unsigned list,
    output bit write,
    output int unsigned port,
    output longint unsigned address,
    output bit [511:0] data,
    output bit [63:0] strobe
  );
  import "DPI-C" context function void cpt_answer(
    input int unsigned list,
    input bit [511:0] data,
    input bit error
  );

  typedef enum logic [1:0] { Idle, Read, Write } state_e;

  state_e state_q;
  int unsigned list_q;  // whose beat is in flight: a reset may have ended that list
  logic [1:0] port_q;
  logic [31:0] address_q;
  logic [DataBits-1:0] data_q;
  logic [BusBytes-1:0] strobe_q;
  logic aw_valid_q, w_valid_q, ar_valid_q;

  logic aw_ready[3], w_ready[3], b_valid[3], b_error[3], ar_ready[3], r_valid[3], r_error[3];
  logic [DataBits-1:0] r_data[3];
  `MASTER_ASSIGN(m_axi_commands, 0)
  `MASTER_ASSIGN(m_axi_loads, 1)
  `MASTER_ASSIGN(m_axi_stores, 2)

  // Memory side: take a request of the kernel, put it on its master, give the answer back.
  always_ff @(posedge ap_clk) begin : memory_side
    bit write;
    int unsigned list;
    int unsigned port;
    longint unsigned address;
    bit [511:0] data;
    bit [63:0] strobe;
    if (!ap_rst_n) begin
      state_q <= Idle;
      {aw_valid_q, w_valid_q, ar_valid_q} <= '0;
      cpt_reset();
    end else begin
      if (aw_valid_q && aw_ready[port_q]) aw_valid_q <= 1'b0;
      if (w_valid_q && w_ready[port_q]) w_valid_q <= 1'b0;
      if (ar_valid_q && ar_ready[port_q]) ar_valid_q <= 1'b0;
      unique case (state_q)
        Idle:
        if (cpt_running()) begin
          cpt_next_request(list, write, port, address, data, strobe);
          // The kernel may have ended instead of asking for another beat.
          if (cpt_running()) begin
            state_q <= write ? Write : Read;
            list_q <= list;
            port_q <= port[1:0];
            address_q <= address[31:0];
            data_q <= data[DataBits-1:0];
            strobe_q <= strobe[BusBytes-1:0];
            {aw_valid_q, w_valid_q, ar_valid_q} <= {write, write, !write};
          end
        end
        Read:
        if (r_valid[port_q]) begin
          cpt_answer(list_q, 512'(r_data[port_q]), r_error[port_q]);
          state_q <= Idle;
        end
        Write:
        if (b_valid[port_q]) begin
          cpt_answer(list_q, '0, b_error[port_q]);
          state_q <= Idle;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  // Register side: one write and one read at a time.
  assign s_axi_control_awready = s_axi_control_awvalid && s_axi_control_wvalid && !s_axi_control_bvalid;
  assign s_axi_control_wready = s_axi_control_awready;
  assign s_axi_control_arready = !s_axi_control_rvalid;
  assign s_axi_control_bresp = '0;
  assign s_axi_control_rresp = '0;

  always_ff @(posedge ap_clk) begin : register_side
    if (!ap_rst_n) begin
      {s_axi_control_bvalid, s_axi_control_rvalid, interrupt} <= '0;
      s_axi_control_rdata <= '0;
    end else begin
      if (s_axi_control_bready) s_axi_control_bvalid <= 1'b0;
      if (s_axi_control_rready) s_axi_control_rvalid <= 1'b0;
      if (s_axi_control_awready) begin
        if (&s_axi_control_wstrb) cpt_write_register(32'(s_axi_control_awaddr), s_axi_control_wdata);
        s_axi_control_bvalid <= 1'b1;
      end
      if (s_axi_control_arvalid && s_axi_control_arready) begin
        s_axi_control_rdata <= cpt_read_register(32'(s_axi_control_araddr));
        s_axi_control_rvalid <= 1'b1;
      end
      interrupt <= cpt_interrupt();
    end
  end
endmodule
