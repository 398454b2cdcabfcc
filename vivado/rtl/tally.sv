/// The tally of a CONV's results (contract, sections 5 and 7): kept by block of 16 channels, read as it lies in memory.
///
/// A group of results (one for each lane) comes by pairs of lanes or lane by lane, and is summed by itself. Then it is
/// added to its block's tally in a RAM, two channels a cycle, while the next group is summed: a group lasts at least 8
/// cycles. The order of blocks does not matter. The store reads a tally when its block's last results are stored; then
/// its slot is free.
module tally
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned Lanes  = 16,  ///< at least 16
    parameter int unsigned AtOnce = 2    ///< of them in a cycle, 1 or 2
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                signed_i,     ///< results have a sign
    input  logic [11:0]         blocks_i,     ///< of the result
    input  logic [20:0]         count_i,      ///< results of a channel
    input  rounded_t            rounded_i,
    input  logic                read_i,       ///< two records, or the header
    input  logic                header_i,
    input  logic [SlotBits-1:0] read_slot_i,
    input  logic [2:0]          read_pair_i,  ///< channels 2 pair and 2 pair + 1
    input  logic                turn_i,       ///< what was read goes to the output, where it stays until the next turn
    output logic [511:0]        data_o
);
  localparam int unsigned SumBits    = 17 + $clog2(Lanes);
  localparam int unsigned SquareBits = 32 + $clog2(Lanes / AtOnce);

  if (Lanes < 16) begin : gen_bad_lanes
    $error("tally: Lanes is less than 16");
  end

  // A group.
  typedef struct packed {
    logic                valid;
    logic                first;
    logic                last;
    logic                begins;
    logic [SlotBits-1:0] slot;
  } control_t;
  control_t [4:1] control_q;  // [n]: of the results n cycles ago
  typedef struct packed {
    logic signed [SumBits-1:0]  sum;
    logic [AtOnce-1:0][SquareBits-1:0] squares;
    logic [15:0]                least;
    logic [15:0]                most;
  } group_sum_t;
  group_sum_t [15:0] group;

  always_ff @(posedge clk_i) begin
    control_q <= {control_q[3:1], control_t'{valid: rounded_i.valid, first: rounded_i.pair == '0 && !rounded_i.second,
                  last: rounded_i.pair == 8'(Lanes / 2 - 1) && (AtOnce == 2 || rounded_i.second),
                  begins: rounded_i.begins, slot: rounded_i.tally}};
    if (!rst_ni) for (int unsigned i = 1; i <= 4; i++) control_q[i].valid <= 1'b0;
  end
  for (genvar c = 0; c < 16; c++) begin : gen_channel
    tally_channel #(.Lanes(Lanes), .AtOnce(AtOnce)) u_channel (
        .clk_i,
        .signed_i,
        .values_i ({rounded_i.values[1][c], rounded_i.values[0][c]}),
        .live_i   (rounded_i.live),
        .first_i  ({control_q[3].first, control_q[2].first, control_q[1].first}),
        .valid_i  (control_q[3].valid),
        .sum_o    (group[c].sum),
        .squares_o(group[c].squares),
        .least_o  (group[c].least),
        .most_o   (group[c].most)
    );
  end

  // A complete group is held while its channels take their turns. Stage 0: the RAM is read, a pair of channels chosen.
  // Stage 1: the RAM's output register; both lanes' squares are added. Stage 2: added and compared. Stage 3: written.
  typedef struct packed {
    logic                valid;
    logic                begins;
    logic [SlotBits-1:0] slot;
    logic [2:0]          pair;
  } turn_t;
  group_sum_t [15:0] held_q;
  logic [2:0] pair_q;
  logic busy_q;
  turn_t [3:0] turn_q;
  turn_t turn;
  logic held_begins_q;
  logic [SlotBits-1:0] held_slot_q;

  assign turn = '{valid: busy_q, begins: held_begins_q, slot: held_slot_q, pair: pair_q};
  always_ff @(posedge clk_i) begin
    if (busy_q) begin
      pair_q <= pair_q + 3'd1;
      busy_q <= pair_q != '1;
    end
    if (control_q[4].valid && control_q[4].last) begin
      held_q        <= group;
      held_begins_q <= control_q[4].begins;
      held_slot_q   <= control_q[4].slot;
      pair_q        <= '0;
      busy_q        <= 1'b1;
    end
    turn_q <= {turn_q[2:0], turn};
    if (!rst_ni) begin
      busy_q <= 1'b0;
      for (int unsigned i = 0; i < 4; i++) turn_q[i].valid <= 1'b0;
    end
  end

  tally_t [1:0] tallies_q[8*TallySlots];
  tally_t [1:0] read_q, old_q, sum_q, new_q, shown_q;
  group_sum_t [1:0] chosen_q;
  tally_t [1:0] part_q;
  logic [1:0] less_q, more_q;
  logic [1:0][15:0] part_least_q, part_most_q;
  always_ff @(posedge clk_i) begin
    read_q <= tallies_q[{turn.slot, turn.pair}];
    if (turn_q[3].valid) tallies_q[{turn_q[3].slot, turn_q[3].pair}] <= new_q;
    if (read_i) shown_q <= tallies_q[{read_slot_i, read_pair_i}];
  end
  for (genvar k = 0; k < 2; k++) begin : gen_pair
    always_ff @(posedge clk_i) begin
      chosen_q[k]      <= held_q[{pair_q, k[0]}];
      part_q[k].sum    <= 37'(chosen_q[k].sum);
      part_q[k].second <= 52'(chosen_q[k].squares[0])
          + (AtOnce == 2 ? 52'(chosen_q[k].squares[AtOnce-1]) : '0);
      part_q[k].least  <= chosen_q[k].least;
      part_q[k].most   <= chosen_q[k].most;
      old_q[k]         <= read_q[k];
      if (turn_q[0].begins) old_q[k] <= '{sum: '0, second: '0, least: '1, most: '0};
      sum_q[k].sum     <= old_q[k].sum + part_q[k].sum;
      sum_q[k].second  <= old_q[k].second + part_q[k].second;
      sum_q[k].least   <= old_q[k].least;
      sum_q[k].most    <= old_q[k].most;
      less_q[k]        <= part_q[k].least < old_q[k].least;
      more_q[k]        <= part_q[k].most > old_q[k].most;
      part_least_q[k]  <= part_q[k].least;
      part_most_q[k]   <= part_q[k].most;
      new_q[k].sum     <= sum_q[k].sum;
      new_q[k].second  <= sum_q[k].second;
      new_q[k].least   <= less_q[k] ? part_least_q[k] : sum_q[k].least;
      new_q[k].most    <= more_q[k] ? part_most_q[k] : sum_q[k].most;
    end
  end

  // As in memory.
  function automatic logic [31:0] end_of(logic [15:0] order, logic is_signed);
    return is_signed ? 32'($signed({!order[15], order[14:0]})) : 32'(order);
  endfunction
  logic header_q;
  logic [1:0][255:0] records;
  for (genvar k = 0; k < 2; k++) begin : gen_record
    always_comb begin
      records[k] = '0;
      records[k][8*TALLY_RECORD_SUM+:64]    = 64'($signed(shown_q[k].sum));
      records[k][8*TALLY_RECORD_SECOND+:64] = 64'(shown_q[k].second);
      records[k][8*TALLY_RECORD_LEAST+:32]  = end_of(shown_q[k].least, signed_i);
      records[k][8*TALLY_RECORD_MOST+:32]   = end_of(shown_q[k].most, signed_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_i) header_q <= header_i;
    if (turn_i) begin
      data_o <= records;
      if (header_q) data_o <= 512'({11'd0, count_i, 16'd0, blocks_i, 4'd0, BLOCK_TALLY});
    end
  end

`ifndef SYNTHESIS
  logic pending;  // the read slot's last results are not in the RAM yet
  always_comb begin
    pending = busy_q && held_slot_q == read_slot_i;
    for (int unsigned i = 1; i <= 4; i++) pending |= control_q[i].valid && control_q[i].slot == read_slot_i;
    for (int unsigned i = 0; i < 4; i++) pending |= turn_q[i].valid && turn_q[i].slot == read_slot_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      group_is_free     : assert (!(control_q[4].valid && control_q[4].last) || !busy_q || pair_q == '1);
      tally_is_complete : assert (!read_i || header_i || !pending);
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, control_q};
endmodule
