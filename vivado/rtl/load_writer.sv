/// Takes the bytes of requests, one after another, and writes them where each request's job says.
///
/// Four words a cycle into a lane's memory; into the column memories the words of one triple of slots: three of a
/// kernel row of three, up to three pixels of the error, else one word. Column c has the triples c, c + 16, .. (CONV);
/// lane l has triple l (WGRAD). So a writer handles the lanes and triples that are its own mod Writers, and no
/// others.
module load_writer
  import core_pkg::*;
#(
    parameter  int unsigned BusBytes    = 8,
    parameter  int unsigned Writers     = 2,            ///< of them: a power of two up to 16
    parameter  int unsigned Triples     = 1,            ///< T: triples of slots that a column has
    parameter  int unsigned AddressBits = 14,           ///< of a lane's words, and of entries of the column memories
    parameter  bit          InBlockRam  = 1'b0,         ///< the queue of beats, else in LUTs
    localparam int unsigned DataBits    = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [         4:0] b_bits_i,       ///< entries from triple to triple of K
    input  logic [        15:0] row_words_i,    ///< of a lane's memory: from row to row
    input  logic [        16:0] row_back_i,     ///< and from the last row to the first,
    input  logic [        16:0] row_last_i,     ///< which is the one from here on
    input  logic                job_valid_i,
    output logic                job_ready_o,
    input  job_t                job_i,
    input  logic                data_valid_i,   ///< beats of the requests; each request begins a beat
    output logic                data_ready_o,
    input  logic [DataBits-1:0] data_i,
    input  logic                data_last_i,    ///< the request's last beat
    output logic                mark_o,         ///< everything before a mark is written
    output logic                lane_valid_o,
    output logic [         7:0] lane_o,         ///< lane / Writers
    output logic [    3:0]      bank_write_o,   ///< banks of the lane's memory that take a word
    output logic [3:0][13:0]    bank_address_o,
    output logic                triple_valid_o,
    output logic [         7:0] triple_o,       ///< triple / Writers
    output logic [        15:0] entry_o,
    output logic [         2:0] word_write_o,
    output logic [3:0][15:0]    data_o          ///< words of the banks, or of the triple
);
  localparam int unsigned Chunks     = BusBytes / 8;
  localparam int unsigned ChunkBits  = Chunks == 1 ? 1 : $clog2(Chunks);
  localparam int unsigned TripleBits = Triples == 1 ? 1 : $clog2(Triples);
  localparam int unsigned A          = AddressBits;

  // What of a job is kept.
  typedef struct packed {
    job_e         kind;
    logic [  7:0] target;
    logic [A-1:0] address;
    logic [  4:0] tail;
    logic [  3:0] triple;
    logic [  1:0] place;
    logic [  4:0] planes;
    logic [A-1:0] run;
  } task_t;

  task_t pushed, job;
  logic job_full, job_empty, job_pop, beat_full, beat_empty, beat_pop, beat_last;
  logic [DataBits-1:0] beat;

  assign pushed = '{kind: job_i.kind, target: job_i.target, address: job_i.address[A-1:0], tail: job_i.tail,
                    triple: job_i.triple, place: job_i.place, planes: job_i.planes, run: job_i.run[A-1:0]};
  sync_fifo #(.Width($bits(task_t)), .Depth(16)) u_jobs (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(job_valid_i && job_ready_o), .data_i(pushed), .pop_i(job_pop),
      .data_o(job), .full_o(job_full), .empty_o(job_empty)
  );
  if (InBlockRam) begin : gen_block_ram
    block_fifo #(.Width(DataBits + 1), .Depth(32)) u_beats (
        .clk_i, .rst_ni, .push_i(data_valid_i && data_ready_o), .data_i({data_last_i, data_i}),
        .pop_i(beat_pop), .data_o({beat_last, beat}), .full_o(beat_full), .empty_o(beat_empty)
    );
  end else begin : gen_luts
    sync_fifo #(.Width(DataBits + 1), .Depth(32)) u_beats (
        .clk_i, .rst_ni, .clear_i(1'b0), .push_i(data_valid_i && data_ready_o), .data_i({data_last_i, data_i}),
        .pop_i(beat_pop), .data_o({beat_last, beat}), .full_o(beat_full), .empty_o(beat_empty)
    );
  end
  assign job_ready_o  = !job_full;
  assign data_ready_o = !beat_full;

  // The job in progress.
  logic busy_q;
  task_t job_q;
  logic fetched_q;               // its last words are in the window
  logic [A-1:0] address_q;       // of the next word, or entry of the next word in plane 0
  logic [A-1:0] begin_q;         // JobLane: where the next row begins; else the entry where a plane's run begins
  logic [4:0] plane_q;
  logic [A-1:0] run_q;           // words left of the run
  logic near_q;                  // they are fewer than eight
  logic [TripleBits-1:0] triple_q, triple_begin_q;  // triple of the column
  logic [1:0] place_q, place_begin_q;               // word of the triple

  // Up to eight words of the stream: a ring of two chunks of four.
  logic [7:0][15:0] window_q;
  logic [2:0] head_q;        // place of the next word
  logic half_q;              // where the next chunk goes
  logic [3:0] count_q, kept;
  logic [2:0] take;          // words written in this cycle
  logic [ChunkBits-1:0] chunk_q;
  logic [63:0] chunk;
  logic fetch, final_chunk, last_chunk, ends;

  if (Chunks == 8) begin : gen_eight_chunks
    select_eight #(.Width(64)) u_chunk (.data_i(beat), .select_i(chunk_q), .data_o(chunk));
    assign final_chunk = beat_last && chunk_q == job_q.tail[4:2];
  end else if (Chunks > 1) begin : gen_chunks
    assign chunk       = beat[64*32'(chunk_q)+:64];
    assign final_chunk = beat_last && chunk_q == job_q.tail[2+:ChunkBits];
  end else begin : gen_one_chunk
    assign chunk       = beat;
    assign final_chunk = beat_last;
  end
  assign kept       = count_q - 4'(take);
  assign fetch      = busy_q && !fetched_q && !beat_empty && kept <= 4'd4;
  assign last_chunk = chunk_q == ChunkBits'(Chunks - 1) || final_chunk;
  assign beat_pop   = fetch && last_chunk;
  assign ends       = fetched_q && kept == '0 && take != '0;
  assign job_pop    = !job_empty && (!busy_q || ends) && !(job.kind == JobMark && busy_q);
  assign mark_o     = job_pop && job.kind == JobMark;

  always_comb begin
    take = '0;
    if (busy_q) begin
      unique case (job_q.kind)
        JobLane: take = near_q && run_q[2:0] < 3'd4 ? run_q[2:0] : 3'd4;
        JobWeights: take = job_q.run == A'(3) && place_q == 2'd0 && run_q[1:0] == 2'd3 ? 3'd3 : 3'd1;
        default: begin
          take = 3'd3 - 3'(place_q);
          if (near_q && run_q[2:0] < take) take = run_q[2:0];
        end
      endcase
      if (count_q < 4'(take)) take = '0;
    end
  end

  // Where the run continues after this cycle's words.
  logic [1:0] place_next;
  logic [TripleBits-1:0] triple_next;
  logic [4:0] address_step;
  logic [A-1:0] address_next;
  logic [A-1:0] row;         // JobLane: the row before the next one
  logic [A-1:0] row_next, row_wrapped;
  logic row_wraps;
  logic place_wraps, triple_wraps, run_ends, planes_end, borrows;

  assign place_wraps  = 3'(place_q) + take >= 3'd3;
  assign place_next   = place_wraps ? 2'd0 : place_q + take[1:0];
  assign triple_wraps = place_wraps && (job_q.kind == JobError || triple_q == TripleBits'(Triples - 1));
  assign triple_next  = triple_wraps ? '0 : triple_q + TripleBits'(place_wraps);
  assign address_step = job_q.kind == JobLane ? 5'(take) : triple_wraps ? b_bits_i : 5'd0;
  assign address_next = address_q + A'(address_step);
  assign row          = job_pop ? job.address : begin_q;
  assign row_next     = row_words_i[A-1:0] + row;
  assign row_wrapped  = row_back_i[A-1:0] + row;
  // Compared before it is known which row it is, for timing.
  assign row_wraps    = job_pop ? 17'(job.address) >= row_last_i : 17'(begin_q) >= row_last_i;
  assign run_ends     = near_q && run_q[2:0] == take;
  assign planes_end   = plane_q + 5'd1 == job_q.planes;
  assign borrows      = run_q[2:0] < take;

  always_ff @(posedge clk_i) begin
    head_q  <= head_q + take;
    count_q <= kept + (fetch ? final_chunk ? 4'(job_q.tail[1:0]) + 4'd1 : 4'd4 : 4'd0);
    if (fetch) begin
      half_q    <= !half_q;
      chunk_q   <= last_chunk ? '0 : chunk_q + 1'b1;
      fetched_q <= final_chunk;
      if (half_q) window_q[7:4] <= chunk;
      else window_q[3:0] <= chunk;
    end
    if (take != '0) begin
      run_q     <= run_ends ? job_q.run : run_q - A'(take);
      near_q    <= run_ends ? job_q.run[A-1:3] == '0
                            : near_q || (run_q[A-1:4] == '0 && borrows);
      address_q <= address_next;
      place_q   <= place_next;
      triple_q  <= triple_next;
      if (run_ends && job_q.kind == JobLane) begin
        address_q <= begin_q;
      end else if (run_ends && planes_end) begin
        // The next row follows.
        plane_q        <= '0;
        begin_q        <= address_next;
        triple_begin_q <= triple_next;
        place_begin_q  <= place_next;
      end else if (run_ends) begin
        // The next plane begins where this one did, an entry further.
        plane_q   <= plane_q + 5'd1;
        address_q <= begin_q;
        triple_q  <= triple_begin_q;
        place_q   <= place_begin_q;
      end
    end
    if (ends) busy_q <= 1'b0;
    if (job_pop && job.kind != JobMark) begin
      busy_q         <= 1'b1;
      job_q          <= job;
      address_q      <= job.address;
      begin_q        <= job.address;
      plane_q        <= '0;
      run_q          <= job.run;
      near_q         <= job.run[A-1:3] == '0;
      triple_q       <= TripleBits'(job.triple);
      triple_begin_q <= TripleBits'(job.triple);
      place_q        <= job.place;
      place_begin_q  <= job.place;
      chunk_q        <= '0;
      count_q        <= '0;
      head_q         <= '0;
      half_q         <= 1'b0;
      fetched_q      <= 1'b0;
    end
    if (job_pop ? job.kind == JobLane : take != '0 && run_ends && job_q.kind == JobLane) begin
      begin_q <= row_wraps ? row_wrapped : row_next;
    end
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      fetched_q <= 1'b0;
      count_q   <= '0;
      chunk_q   <= '0;
    end
  end

  // Word b of the output is word `turned[b]` of those that follow in the window.
  logic [1:0] base;
  logic [3:0][1:0] turned;
  logic [3:0][15:0] data;
  assign base = job_q.kind == JobLane ? address_q[1:0] : place_q;
  for (genvar b = 0; b < 4; b++) begin : gen_turn
    assign turned[b] = 2'(b) - base;
    select_eight #(.Width(16)) u_word (.data_i(window_q), .select_i(head_q + 3'(turned[b])), .data_o(data[b]));
  end

  logic [A-3:0] quad, quad_next;
  logic [3:0][A-3:0] bank_address;
  assign quad      = address_q[A-1:2];
  assign quad_next = quad + 1'b1;
  assign bank_address[3] = quad;
  for (genvar b = 0; b < 3; b++) begin : gen_bank
    select_two #(.Width(A - 2)) u_address (
        .zero_i(quad), .one_i(quad_next), .select_i(2'(b) < address_q[1:0]), .data_o(bank_address[b])
    );
  end

  // Writes, registered.
  always_ff @(posedge clk_i) begin
    lane_valid_o   <= rst_ni && job_q.kind == JobLane && take != '0;
    triple_valid_o <= rst_ni && job_q.kind != JobLane && take != '0;
    lane_o         <= job_q.target;
    triple_o       <= job_q.kind == JobError ? job_q.target
                                             : 8'(32'(triple_q) * (16 / Writers)) | job_q.target;
    entry_o        <= 16'(address_q) + 16'(plane_q);
    data_o         <= data;
    for (int unsigned b = 0; b < 4; b++) begin
      bank_write_o[b]   <= 3'(turned[b]) < take;
      bank_address_o[b] <= 14'(bank_address[b]);
    end
    for (int unsigned w = 0; w < 3; w++) begin
      word_write_o[w] <= w >= 32'(place_q) && w < 32'(place_q) + 32'(take);
    end
  end

  if (Writers > 16 || 16 % Writers != 0 || AddressBits > 16) begin : gen_bad
    $error("load_writer: Writers does not divide 16, or AddressBits is more than 16");
  end

  logic unused;
  assign unused = &{1'b0, job_q, job_i, row_words_i, row_back_i};
endmodule
