/// Makes the requests of rows: one for each block, or for each plane of a segmented row, one a cycle.
module row_requests
  import core_pkg::*;
#(
    parameter  int unsigned BusBytes   = 8,
    parameter  int unsigned Writers    = 2,
    localparam int unsigned WriterBits = $clog2(Writers)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  plan_t                 plan_i,
    input  logic                  rows_valid_i,
    output logic                  rows_ready_o,
    input  rows_t                 rows_i,
    input  logic                  halt_i,        ///< ask for nothing more
    output logic                  req_valid_o,
    input  logic                  req_ready_i,
    output logic [31:0]           req_addr_o,
    output logic [17:0]           req_bytes_o,
    output job_t                  job_o,
    output logic [WriterBits-1:0] job_writer_o,
    output logic                  mark_valid_o,  ///< a row step has been asked for
    input  logic                  mark_ready_i
);
  plan_t p;
  assign p = plan_i;

  // Stage 1: where the rows are.
  rows_t queued, first_q, rows_q;
  logic full, empty, first_valid_q, rows_valid_q, first_moves, rows_done;
  logic [31:0] product_q;
  sync_fifo #(.Width($bits(rows_t)), .Depth(8)) u_rows (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(rows_valid_i && rows_ready_o), .data_i(rows_i),
      .pop_i(!empty && (!first_valid_q || first_moves)), .data_o(queued), .full_o(full), .empty_o(empty)
  );
  assign rows_ready_o = !full;
  assign first_moves  = first_valid_q && (!rows_valid_q || rows_done);

  // A slot's triple and its place there, by a LUT for each bit.
  typedef logic [63:0][5:0] places_t;
  function automatic places_t places();
    for (int unsigned slot = 0; slot < 64; slot++) places[slot] = {4'(slot / 3), 2'(slot % 3)};
  endfunction
  localparam places_t Places = places();
  logic [3:0] triple;
  logic [1:0] place;
  assign {triple, place} = Places[rows_q.slot];

  // Stage 2: part by part.
  logic [31:0] address_q, address_step;
  logic [15:0] place_q, place_step;
  logic [11:0] part_q;
  logic taken, is_mark;
  assign is_mark = rows_q.kind == JobMark;

  always_comb begin
    unique case (rows_q.kind)
      JobLane: begin
        address_step = p.segmented ? {19'd0, p.c.a_width, 1'b0} : p.c.a_block_stride;
        place_step   = p.segmented ? 16'(p.row_width) : p.block_words;
      end
      default: begin
        address_step = p.segmented ? {19'd0, p.c.y_width, 1'b0} : p.c.b_block_stride;
        place_step   = p.segmented ? 16'd1 : p.group_entries;
      end
    endcase
  end

  assign req_valid_o  = rows_valid_q && !is_mark && !halt_i;
  assign mark_valid_o = rows_valid_q && is_mark && !halt_i;
  assign taken        = (req_valid_o && req_ready_i) || (mark_valid_o && mark_ready_i);
  assign rows_done    = taken && (is_mark || part_q + 12'd1 == rows_q.parts);
  assign req_addr_o   = address_q;
  assign req_bytes_o  = rows_q.bytes;
  assign job_writer_o = WriterBits'(32'(rows_q.target) % Writers);
  assign job_o        = '{
      kind: rows_q.kind,
      target: rows_q.target / 8'(Writers),
      address: place_q,
      tail: 5'((32'(rows_q.bytes[5:1]) - 1) % (BusBytes / 2)),
      triple: triple,
      place: place,
      planes: p.segmented && rows_q.kind == JobError ? 5'd1 : p.c.b_bits,
      run: rows_q.run
  };

  always_ff @(posedge clk_i) begin
    if (!empty && (!first_valid_q || first_moves)) begin
      first_q   <= queued;
      product_q <= 32'(queued.row) * (queued.kind == JobLane ? 32'(p.a_row_bytes) : 32'(p.b_row_bytes));
    end
    if (first_moves) begin
      rows_q    <= first_q;
      address_q <= first_q.base + product_q;
      place_q   <= first_q.place;
      part_q    <= '0;
    end else if (taken) begin
      address_q <= address_q + address_step;
      place_q   <= place_q + place_step;
      part_q    <= part_q + 12'd1;
    end
    first_valid_q <= !empty || (first_valid_q && !first_moves);
    rows_valid_q  <= first_moves || (rows_valid_q && !rows_done);
    if (!rst_ni) begin
      first_valid_q <= 1'b0;
      rows_valid_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, p, rows_q};
endmodule
