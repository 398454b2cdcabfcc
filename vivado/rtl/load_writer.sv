/// Takes the bytes of requests, one after the other, and writes them where each request's job says.
///
/// Four words a cycle into a lane's memory; into the column memories the words of one triple of slots: three of a
/// kernel row of three, up to three pixels of the error, else one word. Column c has the triples T*c .. T*c + T - 1
/// (CONV); lane l has triple l (WGRAD).
module load_writer
  import core_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Triples  = 1,           ///< T: triples of slots that a column has
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [         4:0] b_bits_i,       ///< entries from triple to triple of K
    input  logic [        15:0] row_words_i,    ///< of a lane's memory: from row to row, and all rows
    input  logic [        16:0] ring_words_i,
    input  logic                job_valid_i,
    output logic                job_ready_o,
    input  job_t                job_i,
    input  logic                data_valid_i,   ///< beats of the requests; each request begins a beat
    output logic                data_ready_o,
    input  logic [DataBits-1:0] data_i,
    output logic                mark_o,         ///< everything before a mark is written
    output logic                lane_valid_o,
    output logic [         7:0] lane_o,
    output logic [    3:0]      bank_write_o,   ///< banks of the lane's memory that take a word
    output logic [3:0][13:0]    bank_address_o,
    output logic                triple_valid_o,
    output logic [         7:0] triple_o,
    output logic [        15:0] entry_o,
    output logic [         2:0] word_write_o,
    output logic [3:0][15:0]    data_o          ///< words of the banks, or of the triple
);
  localparam int unsigned Chunks    = BusBytes / 8;
  localparam int unsigned ChunkBits = Chunks == 1 ? 1 : $clog2(Chunks);

  job_t job;
  logic job_full, job_empty, job_pop, beat_full, beat_empty, beat_pop;
  logic [DataBits-1:0] beat;

  sync_fifo #(.Width($bits(job_t)), .Depth(16)) u_jobs (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(job_valid_i && job_ready_o), .data_i(job_i), .pop_i(job_pop),
      .data_o(job), .full_o(job_full), .empty_o(job_empty)
  );
  sync_fifo #(.Width(DataBits), .Depth(32)) u_beats (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i(data_valid_i && data_ready_o), .data_i(data_i), .pop_i(beat_pop),
      .data_o(beat), .full_o(beat_full), .empty_o(beat_empty)
  );
  assign job_ready_o  = !job_full;
  assign data_ready_o = !beat_full;

  // A job under way.
  logic busy_q;
  job_t job_q;
  logic [17:0] left_q;       // words to write
  logic [15:0] fetch_q;      // chunks of four words to take
  logic [15:0] address_q;    // of the next word, or entry of the next word
  logic [15:0] begin_q;      // entry where a plane's run begins
  logic [4:0] plane_q;
  logic [15:0] run_q;        // words left of the run
  logic [7:0] triple_q, triple_begin_q;  // triple of the column
  logic [1:0] place_q, place_begin_q;    // word of the triple

  // Up to eight words of the stream: a ring of two chunks of four.
  logic [7:0][15:0] window_q;
  logic [2:0] head_q;        // place of the next word
  logic half_q;              // where the next chunk goes
  logic [3:0] count_q, kept;
  logic [2:0] take;          // words written in this cycle
  logic [ChunkBits-1:0] chunk_q;
  logic [63:0] chunk;
  logic fetch, last_chunk, ends;

  if (Chunks == 8) begin : gen_eight_chunks
    select_eight #(.Width(64)) u_chunk (.data_i(beat), .select_i(chunk_q), .data_o(chunk));
  end else begin : gen_chunks
    assign chunk = beat[64*32'(chunk_q)+:64];
  end
  assign kept       = count_q - 4'(take);
  assign fetch      = busy_q && fetch_q != '0 && !beat_empty && kept <= 4'd4;
  assign last_chunk = chunk_q == ChunkBits'(Chunks - 1) || fetch_q == 16'd1;
  assign beat_pop   = fetch && last_chunk;
  assign ends       = busy_q && left_q == 18'(take) && take != '0;
  assign job_pop    = !job_empty && (!busy_q || ends) && !(job.kind == JobMark && busy_q);
  assign mark_o     = job_pop && job.kind == JobMark;

  always_comb begin
    take = '0;
    if (busy_q) begin
      unique case (job_q.kind)
        JobLane: begin
          take = run_q < 16'd4 ? run_q[2:0] : 3'd4;
          if (count_q < 4'(take)) take = '0;
        end
        JobWeights: take = job_q.run == 16'd3 && place_q == 2'd0 && run_q == 16'd3 ? (count_q >= 4'd3 ? 3'd3 : 3'd0)
                                                                                   : 3'(count_q != '0);
        default: begin
          take = 3'd3 - 3'(place_q);
          if (run_q < 16'(take)) take = run_q[2:0];
          if (count_q < 4'(take)) take = '0;
        end
      endcase
      if (left_q < 18'(take)) take = left_q[2:0];
    end
  end

  // Where the run goes on behind this cycle's words.
  logic [1:0] place_next;
  logic [7:0] triple_next;
  logic [15:0] address_next;
  logic [16:0] row_next;     // the same block's place in the next row of a lane's memory
  logic place_wraps, triple_wraps, run_ends, planes_end;

  assign row_next     = 17'(address_q) + 17'(take) + 17'(row_words_i) - 17'(job_q.run);
  assign place_wraps  = 3'(place_q) + take >= 3'd3;
  assign place_next   = place_wraps ? 2'd0 : place_q + take[1:0];
  assign triple_wraps = place_wraps && (job_q.kind == JobError || triple_q == 8'(Triples - 1));
  assign triple_next  = triple_wraps ? '0 : triple_q + 8'(place_wraps);
  assign address_next = address_q + (triple_wraps ? 16'(b_bits_i) : '0);
  assign run_ends     = run_q == 16'(take);
  assign planes_end   = plane_q + 5'd1 == job_q.planes;

  always_ff @(posedge clk_i) begin
    head_q  <= head_q + take;
    count_q <= kept + (fetch ? 4'd4 : 4'd0);
    left_q  <= left_q - 18'(take);
    if (fetch) begin
      half_q  <= !half_q;
      window_q[{half_q, 2'd0}+:4] <= chunk;
      fetch_q <= fetch_q - 16'd1;
      chunk_q <= last_chunk ? '0 : chunk_q + 1'b1;
    end
    if (take != '0) begin
      run_q <= run_q - 16'(take);
      if (run_ends) run_q <= job_q.run;
      if (job_q.kind == JobLane) begin
        address_q <= address_q + 16'(take);
        if (run_ends) address_q <= row_next >= ring_words_i ? 16'(row_next - ring_words_i) : row_next[15:0];
      end else begin
        place_q   <= place_next;
        triple_q  <= triple_next;
        address_q <= address_next;
        if (run_ends) begin
          // The next plane begins where this one did, an entry further; the next row goes on behind.
          if (planes_end) begin
            plane_q        <= '0;
            begin_q        <= address_next - 16'(plane_q);
            address_q      <= address_next - 16'(plane_q);
            triple_begin_q <= triple_next;
            place_begin_q  <= place_next;
          end else begin
            plane_q   <= plane_q + 5'd1;
            address_q <= begin_q + 16'(plane_q) + 16'd1;
            triple_q  <= triple_begin_q;
            place_q   <= place_begin_q;
          end
        end
      end
    end
    if (ends) busy_q <= 1'b0;
    if (job_pop && job.kind != JobMark) begin
      busy_q         <= 1'b1;
      job_q          <= job;
      left_q         <= job.words;
      fetch_q        <= 16'((job.words + 18'd3) >> 2);
      address_q      <= job.address;
      begin_q        <= job.address;
      plane_q        <= '0;
      run_q          <= job.run;
      triple_q       <= 8'(32'(job.slot) / 3);
      triple_begin_q <= 8'(32'(job.slot) / 3);
      place_q        <= 2'(32'(job.slot) % 3);
      place_begin_q  <= 2'(32'(job.slot) % 3);
      chunk_q        <= '0;
      count_q        <= '0;
      head_q         <= '0;
      half_q         <= 1'b0;
    end
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      count_q <= '0;
      chunk_q <= '0;
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

  // Writes, registered.
  always_ff @(posedge clk_i) begin
    lane_valid_o   <= rst_ni && job_q.kind == JobLane && take != '0;
    triple_valid_o <= rst_ni && job_q.kind != JobLane && take != '0;
    lane_o         <= job_q.target;
    triple_o       <= job_q.kind == JobError ? job_q.target : 8'(32'(job_q.target) * Triples + 32'(triple_q));
    entry_o        <= address_q;
    data_o         <= data;
    for (int unsigned b = 0; b < 4; b++) begin
      bank_write_o[b]   <= 3'(turned[b]) < take;
      bank_address_o[b] <= address_q[15:2] + 14'(2'(b) < address_q[1:0]);
    end
    for (int unsigned w = 0; w < 3; w++) begin
      word_write_o[w] <= w >= 32'(place_q) && w < 32'(place_q) + 32'(take);
    end
  end

  logic unused;
  assign unused = &{1'b0, job_q};
endmodule
