/// Stores words of the work memory of the scalar engine as parts of blocks, a word a cycle.
///
/// A header is words one behind the other; records have a word of each of several vectors, and are 0 for lanes that are
/// no real channels. With `part` only these words of the real channels' records are written.
module scalar_store
  import vector_pkg::*;
  import scalar_code_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   start_i,         ///< store what transfer_i says; it stays while busy_o
    input  transfer_t              transfer_i,
    input  logic [           31:0] address_i,       ///< of the header, or of the first of 16 records; stays
    input  logic [AddressBits-1:0] from_i,          ///< the first word, or lane 0 of it; stays
    input  logic [            4:0] active_i,        ///< real channels of the 16
    output logic                   busy_o,          ///< words are still being read
    output logic                   empty_o,         ///< all has been handed to the writer
    output logic [AddressBits-1:0] read_address_o,
    input  logic [           63:0] word_i,          ///< two cycles later
    output request_t               wr_req_o,
    input  logic                   wr_req_ready_i,
    output logic                   wr_valid_o,
    input  logic                   wr_ready_i,
    output logic [   DataBits-1:0] wr_data_o
);
  localparam int unsigned Words  = BusBytes / 8;
  localparam int unsigned Credit = 8;

  typedef enum logic [1:0] { Idle, Ask, Read, Wait } state_e;
  state_e state_q;
  logic [3:0] lane_q;
  logic [2:0] index_q, last_index;
  logic last_word, last_lane, last, take, real_word;
  logic [3:0] credit_q;  // words that may still be read
  assign last_index = transfer_i.part ? 3'(transfer_i.words - 4'd1) : transfer_i.header || transfer_i.log == 3'd6 ? 3'd7
                      : 3'd3;
  assign last_word  = index_q == last_index;
  assign last_lane  = transfer_i.header || lane_q == 4'd15 || (transfer_i.part && 5'(lane_q) + 5'd1 == active_i);
  assign last       = last_word && (last_lane || transfer_i.part);
  assign take       = state_q == Read && credit_q != '0;
  assign real_word  = 4'(index_q) < transfer_i.words && (transfer_i.header || 5'(lane_q) < active_i);
  assign read_address_o = from_i + (transfer_i.header ? AddressBits'(index_q) : {2'd0, index_q, lane_q});

  logic [31:0] part_offset;
  assign part_offset = transfer_i.part ? (32'(lane_q) << transfer_i.log) + {26'd0, transfer_i.skip, 3'd0} : '0;
  assign wr_req_o.valid = state_q == Ask;
  assign wr_req_o.addr  = address_i + part_offset;
  assign wr_req_o.bytes = transfer_i.part ? {11'd0, transfer_i.words, 3'd0}
                          : transfer_i.header ? 18'd64 : 18'd16 << transfer_i.log;

  // Reads on their way, and the words that came.
  typedef struct packed {
    logic valid;
    logic last;  // of its request
    logic real_word;
  } read_t;
  read_t read1_q, read2_q;
  logic pop, word_empty, unused_full, word_last;
  logic [63:0] word;
  sync_fifo #(.Width(65), .Depth(Credit)) u_words (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (read2_q.valid),
      .data_i ({read2_q.last, read2_q.real_word ? word_i : 64'd0}),
      .pop_i  (pop),
      .data_o ({word_last, word}),
      .full_o (unused_full),
      .empty_o(word_empty)
  );

  assign busy_o = state_q != Idle;
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        lane_q  <= '0;
        index_q <= '0;
        if (start_i) state_q <= Ask;
      end
      Ask: if (wr_req_ready_i) state_q <= Read;
      Read:
      if (take) begin
        index_q <= last_word ? '0 : index_q + 3'd1;
        if (last_word) begin
          lane_q <= lane_q + 4'd1;
          if (last_lane) state_q <= Wait;
          else if (transfer_i.part) state_q <= Ask;
        end
      end
      default: if (!read1_q.valid && !read2_q.valid) state_q <= Idle;  // Wait
    endcase
    read1_q  <= '{valid: take, last: last, real_word: real_word};
    read2_q  <= read1_q;
    credit_q <= credit_q - 4'(take) + 4'(pop);
    if (!rst_ni) begin
      state_q       <= Idle;
      credit_q      <= 4'(Credit);
      read1_q.valid <= 1'b0;
      read2_q.valid <= 1'b0;
    end
  end

  logic unused_place;
  assign unused_place = &{1'b0, transfer_i.place};

  // Beats.
  if (Words == 1) begin : gen_narrow
    assign wr_valid_o = !word_empty;
    assign wr_data_o  = word;
    assign pop        = wr_valid_o && wr_ready_i;
    assign empty_o    = word_empty && !busy_o;
    logic unused;
    assign unused = &{1'b0, word_last};
  end else begin : gen_wide
    logic [Words-1:0][63:0] beat_q;
    logic [$clog2(Words)-1:0] slot_q;
    logic whole_q;
    assign wr_valid_o = whole_q;
    assign wr_data_o  = beat_q;
    assign pop        = !word_empty && (!whole_q || wr_ready_i);
    assign empty_o    = word_empty && !whole_q && !busy_o;
    always_ff @(posedge clk_i) begin
      if (wr_ready_i) whole_q <= 1'b0;
      if (pop) begin
        beat_q[slot_q] <= word;
        slot_q         <= word_last ? '0 : slot_q + 1'b1;
        whole_q        <= word_last || slot_q == '1;
      end
      if (!rst_ni) begin
        slot_q  <= '0;
        whole_q <= 1'b0;
      end
    end
  end
endmodule
