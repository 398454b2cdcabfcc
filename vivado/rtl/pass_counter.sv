/// Which blocks and kernel rows the current pass over the operands covers.
///
/// CONV: output blocks only. WGRAD: blocks of A (outermost), blocks of the error, kernel rows.
module pass_counter
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        start_i,    ///< back to the first pass
    input  logic        next_i,     ///< to the next one
    input  plan_t       plan_i,
    output logic [11:0] a_first_o,  ///< blocks of A that are done
    output logic [11:0] a_count_o,
    output logic [11:0] y_first_o,
    output logic [11:0] y_count_o,
    output logic [ 3:0] ky_first_o,
    output logic        y_ends_o,   ///< the next pass has other blocks of the error,
    output logic        a_ends_o,   ///< and of A
    output logic        last_o      ///< this is the last pass
);
  logic [11:0] a_left, y_left;
  logic [3:0] ky_left;
  logic a_last, y_last, ky_last;

  assign a_left    = plan_i.c.a_blocks - a_first_o;
  assign y_left    = plan_i.c.y_blocks - y_first_o;
  assign ky_left   = plan_i.c.kernel_h - ky_first_o;
  assign a_last    = a_left <= plan_i.pass_a;
  assign y_last    = y_left <= plan_i.pass_y;
  assign ky_last   = ky_left <= plan_i.pass_ky;
  assign a_count_o = a_last ? a_left : plan_i.pass_a;
  assign y_count_o = y_last ? y_left : plan_i.pass_y;
  assign y_ends_o  = ky_last;
  assign a_ends_o  = ky_last && y_last;
  assign last_o    = a_last && y_last && ky_last;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      a_first_o  <= '0;
      y_first_o  <= '0;
      ky_first_o <= '0;
    end else if (next_i) begin
      ky_first_o <= ky_last ? '0 : ky_first_o + plan_i.pass_ky;
      if (ky_last) y_first_o <= y_last ? '0 : y_first_o + plan_i.pass_y;
      if (ky_last && y_last) a_first_o <= a_first_o + plan_i.pass_a;
    end
  end

  logic unused;
  assign unused = &{1'b0, plan_i};
endmodule
