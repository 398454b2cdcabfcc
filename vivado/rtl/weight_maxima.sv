/// The greatest magnitudes of weights that go by: by input channel, whose words come one after the other, and by output
/// channel, of as many blocks as the memory holds. Both leave as records of their MAXIMA blocks.
///
/// The same output channels come again after 16 / Lanes steps at the earliest; a maximum is back in memory by then.
module weight_maxima
  import weight_pkg::*;
#(
    parameter  int unsigned Lanes     = 1,
    parameter  int unsigned Blocks    = 64,            ///< that are kept, a power of two
    localparam int unsigned Parts     = 16 / Lanes,
    localparam int unsigned PartBits  = $clog2(Parts),
    localparam int unsigned BlockBits = $clog2(Blocks)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   start_i,       ///< begin with the first input channel
    input  logic [31:0]            max_out_i,     ///< the blocks' first records
    input  logic [31:0]            max_in_i,
    input  logic                   rows_i,        ///< this pass has maxima by input channel
    input  logic [11:0]            window_i,      ///< this pass has output blocks from here on, in their bundle
    // Weights.
    input  logic                   valid_i,
    input  logic [Lanes-1:0][31:0] w_i,
    input  logic [11:0]            block_i,       ///< in the bundle
    input  logic [PartBits-1:0]    part_i,
    input  logic                   row_first_i,
    input  logic                   row_last_i,
    input  logic                   fresh_i,       ///< the first words of these output channels
    // The end of a bundle, some cycles after its last weights.
    input  logic                   dump_i,
    input  logic [11:0]            first_i,       ///< its first block, of the layer's
    input  logic [11:0]            count_i,       ///< blocks of a bundle
    input  logic [11:0]            outs_i,        ///< blocks of the layer
    output logic                   busy_o,        ///< from the cycle after dump_i on
    // Records.
    output logic                   room_o,        ///< for those of the weights under way
    output logic                   valid_o,
    input  logic                   take_i,
    output record_t                record_o
);
  localparam int unsigned Depth = 32;
  localparam int unsigned IndexBits = BlockBits + PartBits;
  typedef enum logic [1:0] { Idle, Read, Wait, Push } state_e;
  state_e state_q;

  // Stage 1: magnitudes. Stage 2: what memory has. Stage 3: the greater one.
  logic [2:1] valid_q, row_first_q, row_last_q, fresh_q;
  logic [3:1] here_q;
  logic [3:1][IndexBits-1:0] index_q;
  logic [2:1][Lanes-1:0][31:0] size_q;
  logic [Lanes-1:0][31:0] kept_q[2**IndexBits], read_q, old_q, new_q;
  logic [31:0] most, row_q;
  logic row_push_q, here;
  logic [IndexBits-1:0] index, dump_q;
  logic [11:0] offset;
  assign offset = block_i - window_i;
  assign here = block_i >= window_i && 32'(offset) < Blocks;
  assign index  = state_q == Idle ? {offset[BlockBits-1:0], part_i} : dump_q;
  always_comb begin
    most = '0;
    for (int unsigned i = 0; i < Lanes; i++) if (size_q[2][i] > most) most = size_q[2][i];
  end
  always_ff @(posedge clk_i) begin
    valid_q     <= {valid_q[1], valid_i};
    row_first_q <= {row_first_q[1], row_first_i};
    row_last_q  <= {row_last_q[1], row_last_i};
    fresh_q     <= {fresh_q[1], fresh_i};
    here_q    <= {here_q[2] && valid_q[2], here_q[1], here};
    index_q     <= {index_q[2:1], index};
    for (int unsigned i = 0; i < Lanes; i++) begin
      size_q[1][i] <= size_of(w_i[i]);
      new_q[i]     <= fresh_q[2] || size_q[2][i] > old_q[i] ? size_q[2][i] : old_q[i];
    end
    size_q[2] <= size_q[1];
    read_q    <= kept_q[index];
    old_q     <= read_q;
    if (here_q[3]) kept_q[index_q[3]] <= new_q;
    if (valid_q[2]) row_q <= row_first_q[2] || most > row_q ? most : row_q;
    row_push_q <= valid_q[2] && row_last_q[2] && rows_i;
    if (!rst_ni) {valid_q, here_q, row_push_q} <= '0;
  end

  // At the end of a bundle the memory is read out, a channel at a time.
  localparam int unsigned LaneBits = Lanes == 1 ? 1 : $clog2(Lanes);
  logic [LaneBits-1:0] lane_q;
  logic [11:0] block;
  logic dump_last, dump_push, push, full, empty;
  assign block     = window_i + 12'(dump_q[IndexBits-1:PartBits]);
  assign dump_last = block == count_i - 12'd1 || first_i + block == outs_i - 12'd1
      || 32'(dump_q[IndexBits-1:PartBits]) == Blocks - 1;
  assign dump_push = state_q == Push && !full;
  assign busy_o    = state_q != Idle;
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        dump_q <= '0;
        lane_q <= '0;
        if (dump_i && 13'(first_i) + 13'(window_i) < 13'(outs_i) && window_i < count_i) state_q <= Read;
      end
      Read:  state_q <= Wait;
      Wait:  state_q <= Push;
      default:
      if (!full) begin
        lane_q <= 32'(lane_q) == Lanes - 1 ? '0 : lane_q + 1'b1;
        if (32'(lane_q) == Lanes - 1) begin
          dump_q  <= dump_q + 1'b1;
          state_q <= dump_last && dump_q[PartBits-1:0] == '1 ? Idle : Read;
        end
      end
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  // Records.
  logic [31:0] row_addr_q, dump_addr;
  logic [63:0] head;
  logic [5:0] count_q;
  assign dump_addr = max_out_i + {14'd0, first_i + block, 6'd0} + 32'({dump_q[PartBits-1:0], 2'd0}) * 32'(Lanes)
      + 32'({lane_q, 2'd0});
  assign push      = row_push_q || dump_push;
  assign room_o    = count_q < 6'(Depth / 2);
  assign valid_o   = !empty;
  assign record_o  = '{addr: head[63:32], long_one: 1'b0, data: {32'd0, head[31:0]}};
  always_ff @(posedge clk_i) begin
    if (start_i) row_addr_q <= max_in_i;
    else if (row_push_q) row_addr_q <= row_addr_q + 32'd4;
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + 6'(push) - 6'(take_i);
  end
  sync_fifo #(.Width(64), .Depth(Depth)) u_records (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (push),
      .data_i (row_push_q ? {row_addr_q, row_q} : {dump_addr, old_q[lane_q]}),
      .pop_i  (take_i),
      .data_o (head),
      .full_o (full),
      .empty_o(empty)
  );
endmodule
