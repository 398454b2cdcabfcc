/// A lane: its memory of rows, the window on it, and its triple of the column memories.
///
/// The memory has four banks of 16-bit words, bank = word address mod 4, so that any four consecutive words are read
/// in a cycle; all memories have output registers. Slot s of the window takes word s mod 3 of a read; words outside the
/// map, or of a row that the lane's mask excludes, are 0.
module lane
  import core_pkg::*;
#(
    parameter int unsigned Words       = 2048,  ///< of the lane's memory, a multiple of 4
    parameter int unsigned ColumnWords = 512,   ///< entries of the column memories
    parameter int unsigned Slots       = 3      ///< of the window, a multiple of 3
) (
    input  logic                   clk_i,
    input  logic [      3:0]       bank_write_i,
    input  logic [3:0][13:0]       bank_address_i,
    input  logic [3:0][15:0]       bank_data_i,
    input  logic                   mask_write_i,
    input  logic [RowBits-1:0]     mask_row_i,
    input  logic [     14:0]       mask_i,
    input  logic                   read_valid_i,    ///< a read begins
    input  logic [3:0][13:0]       read_address_i,  ///< of each bank
    input  logic [RowBits-1:0]     read_row_i,
    input  logic [      3:0]       read_ky_i,
    input  logic                   fill_valid_i,    ///< its words arrive, two cycles later
    input  logic [      1:0]       fill_rotate_i,   ///< the bank of word 0
    input  logic [      2:0]       fill_words_i,
    input  logic [Slots-1:0]       fill_slots_i,
    input  logic                   fill_clear_i,
    output logic [Slots-1:0][15:0] window_o,
    input  logic [      2:0]       word_write_i,    ///< words of an entry of the triple
    input  logic [     15:0]       word_entry_i,
    input  logic [2:0][15:0]       word_data_i,
    input  logic [     15:0]       entry_i,         ///< entry to read
    output logic [2:0][15:0]       triple_o         ///< two cycles later
);
  localparam int unsigned Depth     = Words / 4;
  localparam int unsigned DepthBits = $clog2(Depth);
  localparam int unsigned EntryBits = $clog2(ColumnWords);

  if (Words % 4 != 0 || Slots % 3 != 0 || Slots > 64) begin : gen_bad
    $error("lane: Words is not a multiple of 4, or Slots not a multiple of 3 up to 63");
  end

  // A bank's depth is a power of two, or two of them: RAM blocks that need at most a two-way multiplexer after them.
  localparam int unsigned LowBits = 2 ** DepthBits == Depth ? DepthBits : DepthBits - 1;
  logic [3:0][15:0] bank;
  for (genvar b = 0; b < 4; b++) begin : gen_bank
    logic [15:0] low_q[2**LowBits];
    logic [15:0] read_low_q, out_low_q;
    logic [LowBits-1:0] write_place, read_place;
    logic write_low;
    assign write_place = bank_address_i[b][LowBits-1:0];
    assign read_place  = read_address_i[b][LowBits-1:0];
    always_ff @(posedge clk_i) begin
      if (bank_write_i[b] && write_low) low_q[write_place] <= bank_data_i[b];
      if (read_valid_i) read_low_q <= low_q[read_place];
      out_low_q <= read_low_q;
    end
    if (LowBits == DepthBits) begin : gen_one_part
      assign write_low = 1'b1;
      assign bank[b]   = out_low_q;
    end else begin : gen_two_parts
      logic [15:0] high_q[Depth-2**LowBits];
      logic [15:0] read_high_q, out_high_q;
      logic high_read_q, high_out_q;
      localparam int unsigned HighBits = $clog2(Depth - 2 ** LowBits);
      assign write_low = !bank_address_i[b][LowBits];
      always_ff @(posedge clk_i) begin
        if (bank_write_i[b] && !write_low) high_q[write_place[HighBits-1:0]] <= bank_data_i[b];
        if (read_valid_i) begin
          read_high_q <= high_q[read_place[HighBits-1:0]];
          high_read_q <= read_address_i[b][LowBits];
        end
        out_high_q <= read_high_q;
        high_out_q <= high_read_q;
      end
      select_two #(.Width(16)) u_part (
          .zero_i(out_low_q), .one_i(out_high_q), .select_i(high_out_q), .data_o(bank[b])
      );
    end
  end

  logic [14:0] masks_q[RowDepth];
  logic [14:0] mask;
  logic live_q, live_out_q;
  assign mask = masks_q[read_row_i];
  always_ff @(posedge clk_i) begin
    if (mask_write_i) masks_q[mask_row_i] <= mask_i;
    if (read_valid_i) live_q <= mask[read_ky_i];
    live_out_q <= live_q;
  end

  logic [2:0][15:0] word;
  for (genvar w = 0; w < 3; w++) begin : gen_word
    select_four #(.Width(16)) u_word (
        .data_i  ({bank[(w+3)%4], bank[(w+2)%4], bank[(w+1)%4], bank[w]}),
        .select_i(fill_rotate_i),
        .data_o  (word[w])
    );
  end
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    logic clear;
    assign clear = fill_slots_i[s] ? !(live_out_q && fill_words_i[s%3]) : fill_clear_i;
    always_ff @(posedge clk_i) begin
      if (fill_valid_i && clear) window_o[s] <= '0;
      else if (fill_valid_i && fill_slots_i[s]) window_o[s] <= word[s%3];
    end
  end

  // Two words share a RAM block, whose halves are written separately; the third has one of its own.
  logic [31:0] pairs_q[ColumnWords];
  logic [15:0] thirds_q[ColumnWords];
  logic [2:0][15:0] read_triple_q;
  logic [EntryBits-1:0] word_entry, entry;
  assign word_entry = word_entry_i[EntryBits-1:0];
  assign entry      = entry_i[EntryBits-1:0];
  always_ff @(posedge clk_i) begin
    if (word_write_i[0]) pairs_q[word_entry][15:0] <= word_data_i[0];
    if (word_write_i[1]) pairs_q[word_entry][31:16] <= word_data_i[1];
    if (word_write_i[2]) thirds_q[word_entry] <= word_data_i[2];
    read_triple_q <= {thirds_q[entry], pairs_q[entry]};
    triple_o      <= read_triple_q;
  end

  logic unused;
  assign unused = &{1'b0, bank_address_i, read_address_i, word_entry_i, entry_i};
endmodule
