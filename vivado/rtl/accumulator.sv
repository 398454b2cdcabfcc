/// Sums of the sets of a WGRAD over its chunks of K, two lanes of results an entry; other results pass through.
module accumulator
  import core_pkg::*;
#(
    parameter bit VectorUnit = 1'b0            ///< HALF is allowed
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   half_i,         ///< HALF, a CONV: the row sum is added to a row's results
    input  logic                   ahead_valid_i,  ///< of the results a cycle later: their old sums are read
    input  logic [7:0]             ahead_pair_i,
    input  group_t                 ahead_group_i,
    input  logic                   valid_i,
    input  logic [7:0]             pair_i,
    input  logic [1:0]             part_i,
    input  group_t                 group_i,
    input  logic [1:0][15:0][47:0] results_i,
    input  logic [1:0][31:0]       sums_i,
    output logic                   valid_o,    ///< two cycles later, if the results are complete
    output logic [7:0]             pair_o,
    output logic [1:0]             part_o,
    output group_t                 group_o,
    output logic [1:0][15:0][47:0] results_o,
    output logic [1:0][31:0]       sums_o
);
  localparam int unsigned EntryBits = $clog2(AccDepth);

  logic [1:0][15:0][47:0] entries_q[AccDepth];
  logic [1:0][31:0] entry_sums_q[AccDepth];
  logic [1:0][15:0][47:0] read_q, old_q, results_q, total;
  logic [1:0][31:0] read_sums_q, old_sums_q, sums_q, total_sums;
  logic [EntryBits-1:0] read_place, place_q, place2_q;
  logic [7:0] pair_q;
  logic [1:0] part_q;
  logic valid_q;
  group_t group_q;

  // Of a CONV there are no old sums: they are 0, and make room for the row sum. In this order of the operands it takes
  // no LUTs beside those of the adders.
  logic [1:0][47:0] addend_q;
  for (genvar l = 0; l < 2; l++) begin : gen_lane
    always_ff @(posedge clk_i) addend_q[l] <= VectorUnit && half_i ? 48'($signed(sums_i[l])) : '0;
    for (genvar c = 0; c < 16; c++) begin : gen_column
      assign total[l][c] = (old_q[l][c] | addend_q[l]) + results_q[l][c];
    end
    assign total_sums[l] = sums_q[l] + old_sums_q[l];
  end

  assign read_place = EntryBits'(ahead_group_i.entry) + EntryBits'(ahead_pair_i);

  always_ff @(posedge clk_i) begin
    // Where there is nothing to add, the RAMs' own reset gives 0.
    if (ahead_valid_i) begin
      read_q      <= entries_q[read_place];
      read_sums_q <= entry_sums_q[read_place];
      if (ahead_group_i.fresh) begin
        read_q      <= '0;
        read_sums_q <= '0;
      end
    end
    place_q    <= read_place;
    place2_q   <= place_q;
    old_q      <= read_q;
    old_sums_q <= read_sums_q;
    valid_q    <= valid_i && rst_ni;
    pair_q     <= pair_i;
    part_q     <= part_i;
    group_q    <= group_i;
    results_q  <= results_i;
    sums_q     <= sums_i;

    if (valid_q && group_q.accumulate && !group_q.store) begin
      entries_q[place2_q]    <= total;
      entry_sums_q[place2_q] <= total_sums;
    end
    valid_o   <= valid_q && group_q.store && rst_ni;
    pair_o    <= pair_q;
    part_o    <= part_q;
    group_o   <= group_q;
    results_o <= total;
    sums_o    <= total_sums;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && ahead_valid_i && ahead_group_i.accumulate && !ahead_group_i.fresh) begin
      sums_are_written : assert (!valid_q || !group_q.accumulate || group_q.store || read_place != place2_q);
      sums_are_summed  : assert (!valid_i || !group_i.accumulate || group_i.store || read_place != place_q);
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, ahead_group_i};
endmodule
