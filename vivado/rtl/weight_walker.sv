/// The weights of a pass: for each output block, column by column, the tile of each block of A, or all of them in one
/// read if they follow each other in memory.
module weight_walker
  import core_pkg::*;
#(
    parameter int unsigned Groups = 3  ///< slots of a slice
) (
    input  logic          clk_i,
    input  logic          command_i,   ///< a command begins, with its first output channel,
    input  logic          pass_i,      ///< a pass of it, with its first entry
    input  weights_plan_t plan_i,
    input  logic [11:0]   y_count_i,   ///< output blocks of the pass
    input  logic          active_i,    ///< go
    input  logic          ready_i,
    output rows_t         rows_o,
    output logic          done_o       ///< with ready_i: the pass's last
);
  logic [11:0] group_q, part_q;
  logic [3:0] column_q;
  logic [31:0] column_address_q, address_q;
  logic [15:0] entry_q, group_entry_q, taps_entries_q;
  logic [17:0] bytes_q;
  logic [5:0] slot_q;
  logic [6:0] slot_sum;
  logic slot_wraps, join_q, column_ends, group_ends, part_last, group_last_q;

  assign slot_sum    = 7'(slot_q) + 7'(plan_i.taps_mod);
  assign slot_wraps  = slot_sum >= 7'(Groups);
  assign part_last   = join_q || part_q + 12'd1 == plan_i.blocks;
  assign column_ends = active_i && ready_i && part_last;
  assign group_ends  = column_ends && column_q == 4'd15;
  assign done_o      = active_i && part_last && column_q == 4'd15 && group_last_q;

  assign rows_o = '{
      kind: JobWeights,
      target: 8'(column_q),
      base: address_q,
      row: '0,
      bytes: join_q ? bytes_q : plan_i.tile[17:0],
      place: entry_q,
      slot: slot_q,
      run: 16'(plan_i.kernel_w),
      parts: 12'd1
  };

  always_ff @(posedge clk_i) begin
    taps_entries_q <= 16'(32'(plan_i.taps_div) * 32'(plan_i.bits));
    bytes_q        <= 18'(plan_i.blocks) * plan_i.tile[17:0];
    join_q         <= plan_i.block_stride == plan_i.tile;
    group_last_q   <= group_q + 12'd1 == y_count_i;
    if (active_i && ready_i) begin
      address_q <= address_q + plan_i.block_stride;
      slot_q    <= slot_wraps ? 6'(slot_sum - 7'(Groups)) : slot_sum[5:0];
      entry_q   <= entry_q + taps_entries_q + (slot_wraps ? 16'(plan_i.bits) : '0);
      part_q    <= part_q + 12'd1;
    end
    if (column_ends) begin
      part_q           <= '0;
      slot_q           <= '0;
      entry_q          <= group_entry_q;
      address_q        <= column_address_q + plan_i.column_stride;
      column_address_q <= column_address_q + plan_i.column_stride;
      column_q         <= column_q + 4'd1;
    end
    if (group_ends) begin
      group_q       <= group_q + 12'd1;
      group_entry_q <= group_entry_q + plan_i.group_entries;
      entry_q       <= group_entry_q + plan_i.group_entries;
    end
    if (pass_i) begin
      group_q       <= '0;
      column_q      <= '0;
      part_q        <= '0;
      slot_q        <= '0;
      entry_q       <= plan_i.entry;
      group_entry_q <= plan_i.entry;
      address_q     <= column_address_q;
    end
    if (command_i) column_address_q <= plan_i.address;
  end
endmodule
