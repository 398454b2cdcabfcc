/// Counts the cycles of a list; what is shown covers the completed commands, and all of a list that ends well.
module cycle_counters (
    input  logic        clk_i,
    input  logic        begin_i,       ///< a list is taken: count from 0
    input  logic [ 2:0] events_i,      ///< this cycle: array busy, waits for operands, waits for room
    input  logic        keep_i,        ///< a command has been completed, or the list
    output logic [63:0] counters_o[4]  ///< total, then one for each event, as of the last keep_i and this cycle's
);
  localparam int unsigned Bits = 48;   // 16 days at 200 MHz

  logic [Bits-1:0] counts_q[4] /* verilator public_flat_rd */, kept_q[4];
  logic [3:0] steps;
  assign steps = {events_i, 1'b1};

  for (genvar i = 0; i < 4; i++) begin : gen_counter
    assign counters_o[i] = 64'(keep_i ? counts_q[i] : kept_q[i]);
    always_ff @(posedge clk_i) begin
      if (begin_i) begin
        counts_q[i] <= Bits'(1);
        if (i != 0) counts_q[i] <= '0;
        kept_q[i] <= '0;
      end else begin
        counts_q[i] <= counts_q[i] + Bits'(steps[i]);
        if (keep_i) kept_q[i] <= counts_q[i];
      end
    end
  end
endmodule
