/// A small first-in first-out queue in distributed RAM; the head is visible without a read (first-word fall-through).
module sync_fifo #(
    parameter int unsigned Width = 8,  ///< bits of an entry
    parameter int unsigned Depth = 4   ///< entries, a power of two
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,  ///< drop all entries
    input  logic             push_i,   ///< store data_i; only when not full
    input  logic [Width-1:0] data_i,
    input  logic             pop_i,    ///< drop the head; only when not empty
    output logic [Width-1:0] data_o,   ///< the head, meaningful when not empty
    output logic             full_o,
    output logic             empty_o
);
  localparam int unsigned PointerBits = $clog2(Depth);

  if (Depth < 2 || 2 ** PointerBits != Depth) begin : gen_bad_depth
    $error("sync_fifo: Depth is not a power of two from 2");
  end

  logic [Width-1:0] entries_q[Depth];
  logic [PointerBits:0] write_q, read_q;

  assign empty_o = write_q == read_q;
  assign full_o  = write_q == {~read_q[PointerBits], read_q[PointerBits-1:0]};
  assign data_o  = entries_q[read_q[PointerBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (push_i) entries_q[write_q[PointerBits-1:0]] <= data_i;
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!push_i || !full_o);
      no_pop_when_empty : assert (!pop_i || !empty_o);
    end
  end
`endif
endmodule
