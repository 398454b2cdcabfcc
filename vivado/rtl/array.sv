/// The array: lanes x 16 dot products of K-slices, and the drain of their results.
///
/// CONV: row l of the array has the window of lane l; column c has the triples T*c .. T*c + T - 1, bit s * 16 + ci of a
/// slice being channel ci of slot s. WGRAD: row kx * 16 + ci has bit ci of slot p * T + kx of every lane l as bit 3 l
/// + p of the slice, and column co has bit co of word p of every triple l. Results are held for the drain while the
/// next group is summed; two lanes leave in a cycle.
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
    input  logic [G-1:0][15:0]      windows_i[L],
    input  logic [2:0][15:0]        triples_i[L],
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

  // Operands of the columns. Loops, not wires: simulators turn words into slices only where that is wanted.
  logic [K-1:0] b_q[16];
  always_ff @(posedge clk_i) begin : columns
    logic [15:0][K-1:0] slices;
    if (wgrad_i) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < 16; c++) begin
        /* verilator unroll_disable */
        for (int unsigned m = 0; m < L; m++) begin
          for (int unsigned pixel = 0; pixel < 3; pixel++) slices[c][3*m+pixel] = triples_i[m][pixel][c];
        end
      end
    end else begin
      for (int unsigned m = 0; m < L; m++) slices[m/T][48*(m%T)+:48] = triples_i[m];
    end
    for (int unsigned c = 0; c < 16; c++) b_q[c] <= slices[c];
  end

  // Rows: the operand of a lane, its dot products, their sums held for the drain.
  logic [DpuLatency-1:0] end_q;
  logic [15:0][47:0] results_q[L];
  logic [31:0] results_sums_q[L];
  for (genvar l = 0; l < L; l++) begin : gen_row
    logic [K-1:0] a_q;
    logic [47:0] sums[16];
    logic [31:0] row_sums;
    always_ff @(posedge clk_i) begin : operand
      logic [K-1:0] slice;
      if (take_i) begin
        if (wgrad_i) begin
          /* verilator unroll_disable */
          for (int unsigned m = 0; m < L; m++) begin
            for (int unsigned pixel = 0; pixel < 3; pixel++) slice[3*m+pixel] = windows_i[m][pixel*T+l/16][l%16];
          end
        end else begin
          slice = windows_i[l];
        end
        a_q <= slice;
      end
    end
    dpu_row #(.Bits(K), .Columns(16)) u_products (
        .clk_i,
        .valid_i (op_valid_i),
        .first_i (op_first_i),
        .negate_i(op_negate_i),
        .shift_i (op_shift_i),
        .a_i     (a_q),
        .b_i     (b_q),
        .acc_o   (sums)
    );
    row_sum #(.Bits(K)) u_row_sum (
        .clk_i,
        .valid_i (op_valid_i && op_sums_i),
        .first_i (op_first_i),
        .negate_i(op_negate_a_i),
        .shift_i (op_plane_i),
        .a_i     (a_q),
        .sum_o   (row_sums)
    );
    always_ff @(posedge clk_i) begin : hold
      logic [15:0][47:0] packed_sums;
      if (end_q[DpuLatency-1]) begin
        for (int unsigned c = 0; c < 16; c++) packed_sums[c] = sums[c];
        results_q[l]      <= packed_sums;
        results_sums_q[l] <= row_sums;
      end
    end
  end

  // The end of a group follows its last pair through the dot products.
  group_t [DpuLatency-1:0] group_q;
  always_ff @(posedge clk_i) begin
    end_q   <= {end_q[DpuLatency-2:0], op_valid_i && op_last_i};
    group_q <= {group_q[DpuLatency-2:0], op_group_i};
    if (!rst_ni) end_q <= '0;
  end

  // Drain.
  localparam logic [7:0] LastPair = 8'(L / 2 - 1);
  group_t results_group_q;
  logic draining_q;
  logic [7:0] pair_q;
  logic [1:0] part_q, last_part;
  logic [$clog2(L)-1:0] lane;
  assign lane = {pair_q[$clog2(L)-2:0], 1'b0};

  always_comb begin
    last_part = '0;
    if (results_group_q.store && 32'(out_format_i) == FORMAT_INT32) last_part = 2'd1;
    if (results_group_q.store && 32'(out_format_i) == FORMAT_INT64) last_part = 2'd3;
  end

  always_ff @(posedge clk_i) begin
    if (end_q[DpuLatency-1]) results_group_q <= group_q[DpuLatency-1];
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
    drain_results_o <= {results_q[lane+1'b1], results_q[lane]};
    drain_sums_o    <= {results_sums_q[lane+1'b1], results_sums_q[lane]};
  end
endmodule
