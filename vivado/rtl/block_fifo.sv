/// A first-in first-out queue in block RAM, for wide entries; its output register has the head.
///
/// Like sync_fifo, but an entry is seen two cycles after it was stored, and there is room for one more than Depth.
module block_fifo #(
    parameter int unsigned Width = 8,  ///< bits of an entry
    parameter int unsigned Depth = 4   ///< entries, a power of two
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             push_i,   ///< store data_i; only when not full
    input  logic [Width-1:0] data_i,
    input  logic             pop_i,    ///< drop the head; only when not empty
    output logic [Width-1:0] data_o,   ///< the head, meaningful when not empty
    output logic             full_o,
    output logic             empty_o
);
  localparam int unsigned PointerBits = $clog2(Depth);

  if (Depth < 2 || 2 ** PointerBits != Depth) begin : gen_bad_depth
    $error("block_fifo: Depth is not a power of two from 2");
  end

  (* ram_style = "block" *) logic [Width-1:0] entries_q[Depth];
  logic [PointerBits:0] write_q, read_q;
  logic there_q, read;

  assign read    = write_q != read_q && (!there_q || pop_i);
  assign empty_o = !there_q;
  assign full_o  = write_q == {~read_q[PointerBits], read_q[PointerBits-1:0]};

  always_ff @(posedge clk_i) begin
    if (push_i) entries_q[write_q[PointerBits-1:0]] <= data_i;
    if (read) data_o <= entries_q[read_q[PointerBits-1:0]];
  end

  always_ff @(posedge clk_i) begin
    there_q <= read || (there_q && !pop_i);
    if (push_i) write_q <= write_q + 1'b1;
    if (read) read_q <= read_q + 1'b1;
    if (!rst_ni) {there_q, write_q, read_q} <= '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_push_when_full : assert (!push_i || !full_o);
      no_pop_when_empty : assert (!pop_i || !empty_o);
    end
  end
`endif
endmodule
