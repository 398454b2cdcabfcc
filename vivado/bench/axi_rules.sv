/// The AXI4 handshake rules that a master must keep, as assertions: for simulators and for proofs.
///
/// Valid and its payload stay until ready; a burst has at most 16 beats and does not cross a 4 KB boundary; the last
/// beat of a burst, and only it, is marked; data does not run ahead of its address.
module axi_rules #(
    parameter int unsigned BusBytes = 8  ///< width of the bus
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input logic [          31:0] aw_addr_i,
    input logic [           7:0] aw_len_i,
    input logic                  aw_valid_i,
    input logic                  aw_ready_i,
    input logic [8*BusBytes-1:0] w_data_i,
    input logic [  BusBytes-1:0] w_strb_i,
    input logic                  w_last_i,
    input logic                  w_valid_i,
    input logic                  w_ready_i,
    input logic [          31:0] ar_addr_i,
    input logic [           7:0] ar_len_i,
    input logic                  ar_valid_i,
    input logic                  ar_ready_i
);
  logic after_reset_q;
  logic aw_waits_q, w_waits_q, ar_waits_q;
  logic [39:0] aw_q, ar_q;
  logic [9*BusBytes:0] w_q;

  // Lengths of bursts whose data is not out yet, in a queue deep enough for any master of ours.
  logic [7:0] lengths_q[64];
  logic [5:0] given_q, taken_q;
  logic [7:0] beat_q, length;
  assign length = given_q == taken_q ? aw_len_i : lengths_q[taken_q];

  function automatic logic inside_4k(logic [31:0] addr, logic [7:0] len);
    return 32'(addr[11:0]) + (32'(len) + 32'd1) * BusBytes <= 32'd4096;
  endfunction

  always_ff @(posedge clk_i) begin
    after_reset_q <= rst_ni;
    aw_waits_q    <= rst_ni && aw_valid_i && !aw_ready_i;
    w_waits_q     <= rst_ni && w_valid_i && !w_ready_i;
    ar_waits_q    <= rst_ni && ar_valid_i && !ar_ready_i;
    aw_q          <= {aw_addr_i, aw_len_i};
    w_q           <= {w_data_i, w_strb_i, w_last_i};
    ar_q          <= {ar_addr_i, ar_len_i};
    if (!rst_ni) begin
      given_q <= '0;
      taken_q <= '0;
      beat_q  <= '0;
    end else begin
      if (aw_valid_i && aw_ready_i) begin
        lengths_q[given_q] <= aw_len_i;
        given_q            <= given_q + 6'd1;
      end
      if (w_valid_i && w_ready_i) begin
        beat_q <= w_last_i ? '0 : beat_q + 8'd1;
        if (w_last_i) taken_q <= taken_q + 6'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && after_reset_q) begin
      if (aw_waits_q) begin
        aw_stays : assert (aw_valid_i && aw_q == {aw_addr_i, aw_len_i});
      end
      if (w_waits_q) begin
        w_stays : assert (w_valid_i && w_q == {w_data_i, w_strb_i, w_last_i});
      end
      if (ar_waits_q) begin
        ar_stays : assert (ar_valid_i && ar_q == {ar_addr_i, ar_len_i});
      end
      if (aw_valid_i) begin
        aw_in_4k : assert (inside_4k(aw_addr_i, aw_len_i) && aw_len_i < 8'd16);
      end
      if (ar_valid_i) begin
        ar_in_4k : assert (inside_4k(ar_addr_i, ar_len_i) && ar_len_i < 8'd16);
      end
      if (w_valid_i) begin
        w_after_aw : assert (given_q != taken_q || aw_valid_i);
        w_last_right : assert (w_last_i == (beat_q == length));
      end
    end
  end
endmodule
