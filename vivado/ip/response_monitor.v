/// Watches the answers to an HLS kernel's masters, which Vitis' masters ignore, and reports errors to the kernel.
///
/// `bus_errors` is sticky from one start to the next (contract, section 13): bit 0 a read, bit 1 a write was
/// answered with an error. A start is bit 0 written to AP_CTRL, at offset 0 of the registers; hosts write it only when
/// the kernel is idle, so no error of a list is lost. All pins but the last are taps.
module response_monitor (
    input  wire        ap_clk,
    input  wire        ap_rst_n,
    input  wire [11:0] control_awaddr,
    input  wire        control_awvalid,
    input  wire        control_awready,
    input  wire [31:0] control_wdata,
    input  wire [ 3:0] control_wstrb,
    input  wire        control_wvalid,
    input  wire        control_wready,
    input  wire [ 1:0] commands_rresp,
    input  wire        commands_rvalid,
    input  wire        commands_rready,
    input  wire [ 1:0] loads_rresp,
    input  wire        loads_rvalid,
    input  wire        loads_rready,
    input  wire [ 1:0] stores_bresp,
    input  wire        stores_bvalid,
    input  wire        stores_bready,
    output reg  [ 1:0] bus_errors
);
  // Address and data of a register write may come in either order; the first waits for the other.
  reg aw_waits, aw_is_control, w_waits, w_is_start;
  wire aw_there = aw_waits || (control_awvalid && control_awready);
  wire w_there = w_waits || (control_wvalid && control_wready);
  wire is_control = aw_waits ? aw_is_control : control_awaddr[11:2] == 10'd0;
  wire is_start = w_waits ? w_is_start : control_wdata[0] && control_wstrb[0];
  wire written = aw_there && w_there;

  // SLVERR and DECERR have bit 1 of the response set.
  wire commands_failed = commands_rvalid && commands_rready && commands_rresp[1];
  wire loads_failed = loads_rvalid && loads_rready && loads_rresp[1];
  wire stores_failed = stores_bvalid && stores_bready && stores_bresp[1];

  always @(posedge ap_clk) begin
    aw_waits      <= aw_there && !written;
    aw_is_control <= is_control;
    w_waits       <= w_there && !written;
    w_is_start    <= is_start;
    bus_errors    <= bus_errors | {stores_failed, commands_failed || loads_failed};
    if (written && is_control && is_start) bus_errors <= 2'b00;
    if (!ap_rst_n) begin
      aw_waits   <= 1'b0;
      w_waits    <= 1'b0;
      bus_errors <= 2'b00;
    end
  end

  wire unused = &{1'b0, control_awaddr[1:0], control_wdata[31:1], control_wstrb[3:1], commands_rresp[0],
                  loads_rresp[0], stores_bresp[0]};
endmodule
