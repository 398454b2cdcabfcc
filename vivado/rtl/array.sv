/// The array: lanes x 16 dot products of K-slices, and the drain of their results.
///
/// CONV: row l of the array has the window of lane l; column c has the triples c, c + 16, .., bit s * 16 + ci of a
/// slice being channel ci of slot s. WGRAD: row kx * 16 + ci has bit ci of slot p * G / 3 + kx of every lane memory l
/// as bit 3 l + p of the slice, and column co has bit co of word p of every triple l. Results are held for the drain
/// while the next group is summed; two lanes leave in a cycle.
module array
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  build_t      Build = BUILD_TINY,
    localparam int unsigned L     = Build.lanes,
    localparam int unsigned G     = Build.slice_groups,
    localparam int unsigned M     = memories_of(Build.slice_groups)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    wgrad_i,         ///< known two cycles before the first operands
    input  logic [1:0]              out_format_i,
    input  logic [G-1:0][15:0]      windows_i[M],
    input  logic [2:0][15:0]        triples_i[M],
    input  logic                    take_i,          ///< the windows become operands in the next cycle
    input  logic                    op_valid_i,      ///< one operand pair; the registered operands go with it
    input  logic                    op_first_i,
    input  logic                    op_last_i,
    input  logic                    op_sums_i,
    input  logic                    op_negate_i,
    input  logic                    op_negate_a_i,
    input  logic [4:0]              op_shift_i,
    input  logic [3:0]              op_plane_i,
    input  group_t                  op_group_i,
    output logic [7:0]              ahead_pair_o,    ///< whose noise has to begin (NoiseDelay)
    output group_t                  ahead_group_o,
    output logic                    next_valid_o,    ///< a cycle before the results: what comes
    output logic [7:0]              next_pair_o,
    output group_t                  next_group_o,
    output logic                    drain_valid_o,   ///< results of lanes 2 pair and 2 pair + 1
    output logic [7:0]              drain_pair_o,
    output logic [1:0]              drain_part_o,    ///< wide results leave in 2 or 4 parts, a cycle each
    output group_t                  drain_group_o,
    output logic [1:0][15:0][47:0]  drain_results_o,
    output logic [1:0][31:0]        drain_sums_o
);
  localparam int unsigned S = G / 3;  // slots of a window for each pixel of a WGRAD
  localparam int unsigned K = 16 * G;

  if (G % 3 != 0 || L % 16 != 0 || L > M) begin : gen_bad_slice
    $error("array: slice_groups is not 3 * n, or lanes not a multiple of 16 up to 16 * n");
  end

  logic [15:0] turns_q;  // wgrad_i for each column
  copies #(.Bits(1), .Copies(16)) u_turns (.clk_i, .data_i(wgrad_i), .data_o(turns_q));

  // Operands of the columns. Loops, not wires: simulators turn words into slices only where that is wanted.
  logic [K-1:0] b_q[16];
`ifdef SYNTHESIS
  for (genvar c = 0; c < 16; c++) begin : gen_column
    logic [K-1:0] own, turned, slice;
    for (genvar m = 0; m < M; m++) begin : gen_lane
      if (m % 16 == c) begin : gen_own
        assign own[48*(m/16)+:48] = triples_i[m];
      end
      for (genvar pixel = 0; pixel < 3; pixel++) begin : gen_pixel
        assign turned[3*m+pixel] = triples_i[m][pixel][c];
      end
    end
    select_two #(.Width(K)) u_slice (.zero_i(own), .one_i(turned), .select_i(turns_q[c]), .data_o(slice));
    always_ff @(posedge clk_i) b_q[c] <= slice;
  end
`else
  always_ff @(posedge clk_i) begin : columns
    logic [15:0][K-1:0] slices;
    if (turns_q[0]) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < 16; c++) begin
        /* verilator unroll_disable */
        for (int unsigned m = 0; m < M; m++) begin
          for (int unsigned pixel = 0; pixel < 3; pixel++) slices[c][3*m+pixel] = triples_i[m][pixel][c];
        end
      end
    end else begin
      for (int unsigned m = 0; m < M; m++) slices[m%16][48*(m/16)+:48] = triples_i[m];
    end
    for (int unsigned c = 0; c < 16; c++) b_q[c] <= slices[c];
  end
`endif

  // Rows: the operand of a lane, its dot products, their sums held for the drain.
  logic [DpuLatency-2:0] end_q;
  logic [L-1:0] take_q, end_here_q, wgrad_q;  // one for each lane, which has hundreds of loads
  copies #(.Bits(1), .Copies(L)) u_take (.clk_i, .data_i(take_i), .data_o(take_q));
  copies #(.Bits(1), .Copies(L)) u_end (.clk_i, .data_i(end_q[DpuLatency-2]), .data_o(end_here_q));
  copies #(.Bits(1), .Copies(L)) u_wgrad (.clk_i, .data_i(wgrad_i), .data_o(wgrad_q));
  logic unused;
  assign unused = &{1'b0, turns_q};
  logic [799:0] results_q[L];  // row sum, then column by column
  for (genvar l = 0; l < L; l++) begin : gen_row
    logic [K-1:0] a_q;
    logic [47:0] sums[16];
    logic [31:0] row_sums;
`ifdef SYNTHESIS
    logic [K-1:0] turned, slice;
    for (genvar m = 0; m < M; m++) begin : gen_lane
      for (genvar pixel = 0; pixel < 3; pixel++) begin : gen_pixel
        assign turned[3*m+pixel] = windows_i[m][pixel*S+l/16][l%16];
      end
    end
    select_two #(.Width(K)) u_slice (.zero_i(windows_i[l]), .one_i(turned), .select_i(wgrad_q[l]), .data_o(slice));
    always_ff @(posedge clk_i) if (take_q[l]) a_q <= slice;
`else
    always_ff @(posedge clk_i) begin : operand
      logic [K-1:0] slice;
      if (take_q[l]) begin
        if (wgrad_q[l]) begin
          /* verilator unroll_disable */
          for (int unsigned m = 0; m < M; m++) begin
            for (int unsigned pixel = 0; pixel < 3; pixel++) slice[3*m+pixel] = windows_i[m][pixel*S+l/16][l%16];
          end
        end else begin
          slice = windows_i[l];
        end
        a_q <= slice;
      end
    end
`endif
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
      if (end_here_q[l]) begin
        for (int unsigned c = 0; c < 16; c++) packed_sums[c] = sums[c];
        results_q[l] <= {row_sums, packed_sums};
      end
    end
  end

  // The end of a group follows its last pair through the dot products.
  always_ff @(posedge clk_i) begin
    end_q <= {end_q[DpuLatency-3:0], op_valid_i && op_last_i};
    if (!rst_ni) end_q <= '0;
  end

  // Which results leave when is known as soon as the last pair of their group is there; they follow after it.
  localparam logic [7:0] LastPair = 8'(L / 2 - 1);
  typedef struct packed {
    logic [7:0] pair;
    logic [1:0] part;
    group_t     group;
  } turn_t;
  turn_t turn_q;
  logic turn_valid_q;
  logic [1:0] last_part;
  localparam int unsigned Leaves = DpuLatency + DrainLatency;  // cycles from a turn to its results
  turn_t [Leaves-1:0] later_q;
  logic [Leaves-1:0] later_valid_q;

  assign last_part = turn_q.group.store ? last_part_of(out_format_i) : '0;

  always_ff @(posedge clk_i) begin
    if (turn_valid_q) begin
      turn_q.part <= turn_q.part == last_part ? '0 : turn_q.part + 2'd1;
      if (turn_q.part == last_part) begin
        turn_q.pair  <= turn_q.pair + 8'd1;
        turn_valid_q <= turn_q.pair != LastPair;
      end
    end
    if (op_valid_i && op_last_i) begin
      turn_valid_q <= 1'b1;
      turn_q       <= '{pair: '0, part: '0, group: op_group_i};
    end
    later_q       <= {later_q[Leaves-2:0], turn_q};
    later_valid_q <= {later_valid_q[Leaves-2:0], turn_valid_q};
    if (!rst_ni) begin
      turn_valid_q  <= 1'b0;
      later_valid_q <= '0;
    end
  end
  assign ahead_pair_o  = later_q[NoiseDelay-1].pair;
  assign ahead_group_o = later_q[NoiseDelay-1].group;

  logic [1:0][799:0] drained;
  result_drain #(.Lanes(L), .Width(800)) u_drain (
      .clk_i, .pair_i(later_q[DpuLatency-2].pair), .results_i(results_q), .data_o(drained)
  );
  assign next_valid_o    = later_valid_q[Leaves-2];
  assign next_pair_o     = later_q[Leaves-2].pair;
  assign next_group_o    = later_q[Leaves-2].group;
  assign drain_valid_o   = later_valid_q[Leaves-1] && rst_ni;
  assign drain_pair_o    = later_q[Leaves-1].pair;
  assign drain_part_o    = later_q[Leaves-1].part;
  assign drain_group_o   = later_q[Leaves-1].group;
  assign drain_results_o = {drained[1][767:0], drained[0][767:0]};
  assign drain_sums_o    = {drained[1][799:768], drained[0][799:768]};

`ifndef SYNTHESIS
  // Held results change when the last of them is being taken, and the next to be taken is the first of the new ones.
  logic [1:0] leaving_last;
  assign leaving_last = later_q[DpuLatency-1].group.store ? last_part_of(out_format_i) : '0;
  always_ff @(posedge clk_i) begin
    if (rst_ni && end_here_q[0]) begin
      results_are_drained : assert (!later_valid_q[DpuLatency-1]
          || (later_q[DpuLatency-1].pair == LastPair && later_q[DpuLatency-1].part == leaving_last));
      results_are_wanted  : assert (later_valid_q[DpuLatency-2] && later_q[DpuLatency-2].pair == '0
          && later_q[DpuLatency-2].part == '0);
    end
  end
`endif
endmodule
