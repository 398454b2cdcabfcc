/// A port of byte ranges with narrower beats than memory's: what is read comes in pieces of a beat, and pieces that are
/// written are gathered. So an engine that needs no more has narrow queues and multiplexers.
///
/// Requests go through as they are. How many pieces a range has follows from its bytes, on either side.
module narrow_port
  import vector_pkg::*;
#(
    parameter  int unsigned WideBytes   = 64,
    parameter  int unsigned NarrowBytes = 16,              ///< a power of two, less than WideBytes
    localparam int unsigned WideBits    = 8 * WideBytes,
    localparam int unsigned NarrowBits  = 8 * NarrowBytes
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // The engine.
    input  request_t              rd_req_i,
    output logic                  rd_req_ready_o,
    output logic                  rd_valid_o,
    input  logic                  rd_ready_i,
    output logic [NarrowBits-1:0] rd_data_o,
    output logic                  rd_last_o,
    input  request_t              wr_req_i,
    output logic                  wr_req_ready_o,
    input  logic                  wr_valid_i,
    output logic                  wr_ready_o,
    input  logic [NarrowBits-1:0] wr_data_i,
    output logic                  wr_idle_o,       ///< all that was to be written is in memory
    // Memory.
    output request_t              rd_req_o,
    input  logic                  rd_req_ready_i,
    input  logic                  rd_valid_i,
    output logic                  rd_ready_o,
    input  logic [  WideBits-1:0] rd_data_i,
    input  logic                  rd_last_i,
    output request_t              wr_req_o,
    input  logic                  wr_req_ready_i,
    output logic                  wr_valid_o,
    input  logic                  wr_ready_i,
    output logic [  WideBits-1:0] wr_data_o,
    input  logic                  wr_idle_i
);
  localparam int unsigned Pieces    = WideBytes / NarrowBytes;
  localparam int unsigned PieceBits = $clog2(Pieces);
  localparam int unsigned ByteBits  = $clog2(NarrowBytes);
  localparam int unsigned CountBits = 18 - ByteBits;
  localparam int unsigned Depth     = 64;  // requests in flight

  if (Pieces < 2 || 2 ** PieceBits != Pieces || 2 ** ByteBits != NarrowBytes) begin : gen_bad
    $error("narrow_port: NarrowBytes is not a power of two, or not a part of WideBytes");
  end

  /// Number of a range's last piece.
  function automatic logic [CountBits-1:0] last_of(logic [17:0] bytes);
    return CountBits'((bytes - 18'd1) >> ByteBits);
  endfunction

  // Reads: a beat stays until its last piece has been taken.
  logic reads_full, reads_empty, read_request, moves, piece_last;
  logic [PieceBits-1:0] piece_q, end_piece;
  logic [Pieces-1:0][NarrowBits-1:0] pieces;
  always_comb begin
    rd_req_o       = rd_req_i;
    rd_req_o.valid = rd_req_i.valid && !reads_full;
  end
  assign rd_req_ready_o = rd_req_ready_i && !reads_full;
  assign read_request   = rd_req_i.valid && rd_req_ready_o;
  sync_fifo #(.Width(PieceBits), .Depth(Depth)) u_reads (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (read_request),
      .data_i (PieceBits'(last_of(rd_req_i.bytes))),
      .pop_i  (moves && piece_last && rd_last_i),
      .data_o (end_piece),
      .full_o (reads_full),
      .empty_o(reads_empty)
  );
  assign pieces     = rd_data_i;
  assign moves      = rd_valid_i && !reads_empty && (!rd_valid_o || rd_ready_i);
  assign piece_last = piece_q == (rd_last_i ? end_piece : '1);
  assign rd_ready_o = !reads_empty && (!rd_valid_o || rd_ready_i) && piece_last;
  always_ff @(posedge clk_i) begin
    if (moves) begin
      rd_data_o <= pieces[piece_q];
      rd_last_o <= rd_last_i && piece_last;
      piece_q   <= piece_last ? '0 : piece_q + 1'b1;
    end
    rd_valid_o <= moves || (rd_valid_o && !rd_ready_i);
    if (!rst_ni) {rd_valid_o, piece_q} <= '0;
  end

  // Writes: a beat leaves when it is full, or its range ends.
  logic writes_full, writes_empty, write_request, takes, ends;
  logic [CountBits-1:0] count_q, end_count;
  logic [Pieces-1:0][NarrowBits-1:0] beat_q;
  always_comb begin
    wr_req_o       = wr_req_i;
    wr_req_o.valid = wr_req_i.valid && !writes_full;
  end
  assign wr_req_ready_o = wr_req_ready_i && !writes_full;
  assign write_request  = wr_req_i.valid && wr_req_ready_o;
  sync_fifo #(.Width(CountBits), .Depth(Depth)) u_writes (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (write_request),
      .data_i (last_of(wr_req_i.bytes)),
      .pop_i  (takes && ends),
      .data_o (end_count),
      .full_o (writes_full),
      .empty_o(writes_empty)
  );
  assign wr_ready_o = !writes_empty && (!wr_valid_o || wr_ready_i);
  assign takes      = wr_valid_i && wr_ready_o;
  assign ends       = count_q == end_count;
  assign wr_data_o  = beat_q;
  assign wr_idle_o  = wr_idle_i && writes_empty && !wr_valid_o;
  always_ff @(posedge clk_i) begin
    if (wr_ready_i) wr_valid_o <= 1'b0;
    if (takes) begin
      beat_q[count_q[PieceBits-1:0]] <= wr_data_i;
      count_q                        <= ends ? '0 : count_q + 1'b1;
      wr_valid_o                     <= ends || count_q[PieceBits-1:0] == '1;
    end
    if (!rst_ni) {wr_valid_o, count_q} <= '0;
  end
endmodule
