/// Gives the array its operand pairs: each window meets the b_bits planes of B, one a cycle.
///
/// With HALF a product counts twice; the row sum is added to it later (accumulator).
/// The column memories are read a cycle before stage 0. Stage 1: operands are registered (take_o). Stage 2: they are in
/// the array.
module feeder
  import contract_pkg::*;
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  plan_t       plan_i,
    input  logic        ahead_valid_i,   ///< two cycles before window_valid_i: the entry of its plane 0
    input  logic [15:0] ahead_entry_i,
    input  logic        window_valid_i,  ///< the window is full in the next cycle
    input  window_t     window_i,
    output logic [15:0] entry_ahead_o,   ///< of the column memories, to be registered
    output logic        take_o,          ///< the array's A operand is the window that is there in the next cycle
    output logic        op_valid_o,
    output logic        op_first_o,
    output logic        op_last_o,
    output logic        op_sums_o,       ///< plane 0 of B: count the ones of A alone
    output logic        op_negate_o,
    output logic        op_negate_a_o,
    output logic [ 4:0] op_shift_o,
    output logic [ 3:0] op_plane_o,
    output group_t      op_group_o,
    output logic        idle_o
);
  window_t window_q, window;
  logic [15:0] entry_q;
  logic busy_q, valid, a_top, b_top;
  logic [3:0] plane_q, plane;

  assign valid   = window_valid_i || busy_q;
  assign window  = window_valid_i ? window_i : window_q;
  assign plane   = window_valid_i ? '0 : plane_q;
  assign entry_ahead_o = ahead_valid_i ? ahead_entry_i : entry_q + 16'd1;
  assign a_top   = plan_i.c.flags[FLAG_A_SIGNED] && 5'(window.plane) + 5'd1 == plan_i.c.a_bits;
  assign b_top   = plan_i.c.flags[FLAG_B_SIGNED] && 5'(plane) + 5'd1 == plan_i.c.b_bits;

  typedef struct packed {
    logic       valid;
    logic       first;
    logic       last;
    logic       sums;
    logic       negate;
    logic       negate_a;
    logic [4:0] shift;
    logic [3:0] plane;
    group_t     group;
  } op_t;
  op_t op_q, op2_q;

  always_ff @(posedge clk_i) begin
    if (window_valid_i) window_q <= window_i;
    entry_q <= entry_ahead_o;
    plane_q <= plane + 4'd1;
    busy_q  <= valid && 5'(plane) + 5'd1 != plan_i.c.b_bits;
    op_q    <= '{
        valid: valid,
        first: window.first && plane == '0,
        last: window.last && 5'(plane) + 5'd1 == plan_i.c.b_bits,
        sums: plane == '0,
        negate: a_top != b_top,
        negate_a: a_top,
        shift: 5'(window.plane) + 5'(plane) + 5'(plan_i.c.flags[FLAG_HALF]),
        plane: window.plane,
        group: window.group
    };
    op2_q   <= op_q;
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      op_q.valid  <= 1'b0;
      op2_q.valid <= 1'b0;
    end
  end

  assign take_o        = valid && plane == '0;
  assign op_valid_o    = op2_q.valid;
  assign op_first_o    = op2_q.first;
  assign op_last_o     = op2_q.last;
  assign op_sums_o     = op2_q.sums;
  assign op_negate_o   = op2_q.negate;
  assign op_negate_a_o = op2_q.negate_a;
  assign op_shift_o    = op2_q.shift;
  assign op_plane_o    = op2_q.plane;
  assign op_group_o    = op2_q.group;
  assign idle_o        = !valid && !op_q.valid && !op2_q.valid;

  logic unused;
  assign unused = &{1'b0, plan_i, window};
endmodule
