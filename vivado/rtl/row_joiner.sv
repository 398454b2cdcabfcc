/// Rows that follow each other in memory become one read: a row waits until one comes that does not join it.
module row_joiner
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        clear_i,    ///< nothing waits
    input  logic        joins_i,    ///< rows may be joined
    input  logic [17:0] bytes_i,    ///< of a row that joins
    input  logic [31:0] offset_i,   ///< added to the base of what leaves
    input  logic        row_valid_i,
    input  rows_t       row_i,
    input  logic [ 1:0] image_i,    ///< rows of one image have the same; it is the one after, or an earlier one
    input  logic        flush_i,    ///< what waits leaves
    output logic        waits_o,    ///< there is something,
    output logic        valid_o,    ///< and it leaves,
    input  logic        ready_i,    ///< which ends this cycle's row or flush
    output rows_t       rows_o
);
  rows_t kept_q;
  logic valid_q, joins, taken;
  logic [11:0] end_q;    // the row after
  logic [1:0] image_q;

  assign waits_o = valid_q;
  assign joins   = joins_i && image_q == image_i && end_q == row_i.row;
  assign valid_o = valid_q && (flush_i || (row_valid_i && !joins));
  assign taken   = ready_i || !valid_o;
  always_comb begin
    rows_o      = kept_q;
    rows_o.base = kept_q.base + offset_i;
  end

  always_ff @(posedge clk_i) begin
    if (row_valid_i && taken) begin
      valid_q <= 1'b1;
      end_q   <= row_i.row + 12'd1;
      image_q <= image_i;
      if (valid_q && joins) kept_q.bytes <= kept_q.bytes + bytes_i;
      else kept_q <= row_i;
    end
    if ((flush_i && taken) || clear_i) valid_q <= 1'b0;
  end
endmodule
