/// Remembers what unfinished commands write, and tells when a new command reads none of it.
///
/// A pass compares both operands with the result and the row sums of every unfinished command, one pair a cycle.
module hazard_check
  import command_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       add_i,         ///< cmd_i is unfinished from now on, under add_id_i
    input  logic [1:0] add_id_i,
    input  logic [3:0] unfinished_i,  ///< by id
    input  logic       check_i,       ///< compare cmd_i; hold until clear_o
    input  decoded_t   cmd_i,
    output logic       clear_o        ///< cmd_i reads nothing that is yet to be written
);
  import contract_pkg::FLAG_ROW_SUMS;

  typedef struct packed {
    logic [31:0] first;
    logic [31:0] behind;
  } span_t;

  // Of each id the result, then the row sums; without row sums an empty span, which overlaps nothing.
  span_t written_q[8];
  logic [3:0] pair_q;   // operand, then id and which of its two spans
  span_t operand, written, out_span, sums_span;
  logic hit;

  assign out_span  = '{first: cmd_i.c.out_addr, behind: cmd_i.out_end};
  assign sums_span = cmd_i.c.flags[FLAG_ROW_SUMS[2:0]]
      ? '{first: cmd_i.c.sums_addr, behind: cmd_i.sums_end} : '{first: '1, behind: '0};
  assign operand   = pair_q[0] ? '{first: cmd_i.c.b_addr, behind: cmd_i.b_end}
                               : '{first: cmd_i.c.a_addr, behind: cmd_i.a_end};
  assign written   = written_q[pair_q[3:1]];
  assign hit       = unfinished_i[pair_q[3:2]] && operand.first < written.behind && written.first < operand.behind;
  assign clear_o   = check_i && pair_q == '1 && !hit;

  always_ff @(posedge clk_i) begin
    if (add_i) begin
      written_q[{add_id_i, 1'b0}] <= out_span;
      written_q[{add_id_i, 1'b1}] <= sums_span;
    end
    // What has been passed stays good, as nothing is added meanwhile; a pair that overlaps waits for its command's end.
    if (!rst_ni || !check_i) pair_q <= '0;
    else if (!hit) pair_q <= pair_q + 4'd1;
  end

  logic unused;
  assign unused = &{1'b0, cmd_i};
endmodule
