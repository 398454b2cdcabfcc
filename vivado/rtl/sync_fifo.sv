/// A small first-in first-out queue in distributed RAM; the head is visible without a read (first-word fall-through).
module sync_fifo #(
    parameter int unsigned Width = 8,  ///< bits of an entry
    parameter int unsigned Depth = 4,  ///< entries, a power of two
    parameter bit          Head  = 0   ///< the head is in a register of its own: for what is late already
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
  logic [PointerBits-1:0] write_q, read_q, used_q;  // used_q: entries, modulo Depth

  if (Head) begin : gen_head
    // read_q is the entry after the head's.
    always_ff @(posedge clk_i) begin
      if (push_i && (empty_o || (pop_i && used_q == PointerBits'(1)))) data_o <= data_i;
      else if (pop_i) data_o <= entries_q[read_q];
    end
  end else begin : gen_no_head
    assign data_o = entries_q[read_q];
  end

  // Full and empty are registers: what hands data over looks at them first of all.
  always_ff @(posedge clk_i) begin
    if (push_i) entries_q[write_q] <= data_i;
    if (push_i) write_q <= write_q + 1'b1;
    if (pop_i) read_q <= read_q + 1'b1;
    if (push_i && !pop_i) begin
      used_q  <= used_q + 1'b1;
      full_o  <= used_q == '1;
      empty_o <= 1'b0;
    end else if (pop_i && !push_i) begin
      used_q  <= used_q - 1'b1;
      full_o  <= 1'b0;
      empty_o <= used_q == PointerBits'(1);
    end
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q  <= PointerBits'(Head);
      used_q  <= '0;
      full_o  <= 1'b0;
      empty_o <= 1'b1;
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
