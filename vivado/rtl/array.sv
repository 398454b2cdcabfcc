/// The array: lanes x 16 dot products of K-slices, and the drain of their results.
///
/// CONV: row l of the array has the window of lane l; column c has the triples T*c .. T*c + T - 1, bit s * 16 + ci of a
/// slice being channel ci of slot s. WGRAD: row kx * 16 + ci has bit ci of slot p * T + kx of every lane l as bit 3 l + p
/// of the slice, and column co has bit co of word p of every triple l. Results are held for the drain while the next
/// group is summed; two lanes leave in a cycle.
module array
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  config_t     Build = CONFIG_TINY,
    localparam int unsigned L     = Build.lanes,
    localparam int unsigned G     = Build.slice_groups
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    wgrad_i,
    input  logic [1:0]              out_format_i,
    input  logic [L-1:0][G-1:0][15:0] windows_i,
    input  logic [L-1:0][2:0][15:0] triples_i,
    input  logic                    take_i,          ///< the windows become operands
    input  logic                    op_valid_i,      ///< one operand pair; the registered operands go with it
    input  logic                    op_first_i,
    input  logic                    op_last_i,
    input  logic                    op_sums_i,
    input  logic                    op_negate_i,
    input  logic                    op_negate_a_i,
    input  logic [4:0]              op_shift_i,
    input  logic [3:0]              op_plane_i,
    input  group_t                  op_group_i,
    output logic                    drain_valid_o,   ///< results of lanes 2 pair and 2 pair + 1
    output logic [7:0]              drain_pair_o,
    output logic [1:0]              drain_part_o,    ///< wide results leave in 2 or 4 parts, a cycle each
    output group_t                  drain_group_o,
    output logic [1:0][15:0][47:0]  drain_results_o,
    output logic [1:0][31:0]        drain_sums_o
);
  localparam int unsigned T = L / 16;
  localparam int unsigned K = 16 * G;

  if (G != 3 * T) begin : gen_bad_slice
    $error("array: slice_groups is not 3 * lanes / 16");
  end

  // Operands.
  logic [L-1:0][K-1:0] a_q;
  logic [15:0][K-1:0] b_q;
  for (genvar l = 0; l < L; l++) begin : gen_a
    logic [K-1:0] turned;
    for (genvar m = 0; m < L; m++) begin : gen_lane
      for (genvar p = 0; p < 3; p++) begin : gen_pixel
        assign turned[3*m+p] = windows_i[m][p*T+l/16][l%16];
      end
    end
    always_ff @(posedge clk_i) if (take_i) a_q[l] <= wgrad_i ? turned : windows_i[l];
  end
  for (genvar c = 0; c < 16; c++) begin : gen_b
    logic [K-1:0] turned;
    for (genvar m = 0; m < L; m++) begin : gen_lane
      for (genvar p = 0; p < 3; p++) begin : gen_pixel
        assign turned[3*m+p] = triples_i[m][p][c];
      end
    end
    always_ff @(posedge clk_i) b_q[c] <= wgrad_i ? turned : triples_i[T*c+:T];
  end

  // Dot products.
  logic [L-1:0][15:0][47:0] sums;
  logic [L-1:0][31:0] row_sums;
  for (genvar l = 0; l < L; l++) begin : gen_row
    dpu_row #(.Bits(K), .Columns(16)) u_products (
        .clk_i,
        .valid_i (op_valid_i),
        .first_i (op_first_i),
        .negate_i(op_negate_i),
        .shift_i (op_shift_i),
        .a_i     (a_q[l]),
        .b_i     (b_q),
        .acc_o   (sums[l])
    );
    row_sum #(.Bits(K)) u_row_sum (
        .clk_i,
        .valid_i (op_valid_i && op_sums_i),
        .first_i (op_first_i),
        .negate_i(op_negate_a_i),
        .shift_i (op_plane_i),
        .a_i     (a_q[l]),
        .sum_o   (row_sums[l])
    );
  end

  // The end of a group follows its last pair through the dot products.
  logic [DpuLatency-1:0] end_q;
  group_t [DpuLatency-1:0] group_q;
  always_ff @(posedge clk_i) begin
    end_q   <= {end_q[DpuLatency-2:0], op_valid_i && op_last_i};
    group_q <= {group_q[DpuLatency-2:0], op_group_i};
    if (!rst_ni) end_q <= '0;
  end

  // Drain.
  localparam logic [7:0] LastPair = 8'(L / 2 - 1);
  logic [L-1:0][15:0][47:0] results_q;
  logic [L-1:0][31:0] results_sums_q;
  group_t results_group_q;
  logic draining_q;
  logic [7:0] pair_q;
  logic [1:0] part_q, last_part;

  always_comb begin
    last_part = '0;
    if (results_group_q.store && 32'(out_format_i) == FORMAT_INT32) last_part = 2'd1;
    if (results_group_q.store && 32'(out_format_i) == FORMAT_INT64) last_part = 2'd3;
  end

  always_ff @(posedge clk_i) begin
    if (end_q[DpuLatency-1]) begin
      results_q       <= sums;
      results_sums_q  <= row_sums;
      results_group_q <= group_q[DpuLatency-1];
    end
    if (draining_q) begin
      part_q <= part_q == last_part ? '0 : part_q + 2'd1;
      if (part_q == last_part) begin
        pair_q     <= pair_q + 8'd1;
        draining_q <= pair_q != LastPair;
      end
    end
    if (end_q[DpuLatency-1]) begin
      draining_q <= 1'b1;
      pair_q     <= '0;
      part_q     <= '0;
    end
    if (!rst_ni) draining_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    drain_valid_o   <= draining_q && rst_ni;
    drain_pair_o    <= pair_q;
    drain_part_o    <= part_q;
    drain_group_o   <= results_group_q;
    drain_results_o <= results_q[2*32'(pair_q)+:2];
    drain_sums_o    <= results_sums_q[2*32'(pair_q)+:2];
  end
endmodule
