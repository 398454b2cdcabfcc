/// Walks over a layer in squares of 16 input by 16 output channels, and over their kernels in jobs of whole rows, for
/// WEIGHTS. Asks for what is read in the order in which it is used.
///
/// The maxima of a square come before the weights of the one before, so that its scales are ready in time.
module weight_squares
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import weight_pkg::*;
(
    input  logic     clk_i,
    input  logic     rst_ni,
    input  logic     start_i,
    input  words_t   words_i,         ///< WEIGHTS; this and the next two stay
    input  shape_t   shape_i,
    input  sizes_t   sizes_i,
    output request_t rd_req_o,
    input  logic     rd_req_ready_i,
    output logic     maxima_o,        ///< the request is for maxima
    output logic     side_o,          ///< of input channels
    output logic     square_valid_o,
    input  logic     square_ready_i,
    output square_t  square_o,
    output logic     job_valid_o,
    input  logic     job_ready_i,
    output job_t     job_o
);
  typedef enum logic [2:0] { Idle, Job, AskOut, AskIn, Describe, Words, Move } state_e;
  state_e state_q;

  logic both;
  logic [4:0] bits;
  logic [3:0] kernel_w;
  assign both     = words_i[WEIGHT_FIELD_FLAGS_WORD][WEIGHT_FLAG_BOTH];
  assign bits     = words_i[WEIGHT_FIELD_BITS_WORD][12:8];
  assign kernel_w = words_i[WEIGHT_FIELD_KERNEL_W_WORD][11:8];

  // The square ahead, of which the maxima are read next.
  typedef struct packed {
    logic        valid;
    logic        out_table;
    logic        in_table;
    logic [11:0] out_base;     // first blocks of the bundle
    logic [11:0] in_base;
    logic [11:0] out_block;    // in the bundle
    logic [11:0] in_block;
    logic [31:0] w_bundle;     // addresses of the bundle, of the input block in it, offset of the output block
    logic [31:0] w_in;
    logic [31:0] w_out;
    logic [31:0] codes_out;    // address of the output block's codes, offset of the input block in them
    logic [31:0] codes_tile;
    logic [31:0] in_bundle;    // address of the bundle's codes by input channel, likewise
    logic [31:0] in_in;
    logic [31:0] in_tile;
  } cursor_t;
  cursor_t ahead_q, ahead_d;
  logic [31:0] w_row, w_rows, in_images;  // bytes of a row of w, of 16 of them, of 16 images of codes by input channel
  logic in_last, out_last, bundle_last;
  logic [12:0] out_number, in_number;
  assign w_row       = {6'd0, sizes_i.row_lines, 6'd0};
  assign w_rows      = {w_row[27:0], 4'd0};
  assign in_images   = {2'd0, sizes_i.in_image, 4'd0};
  assign out_number  = 13'(ahead_q.out_base) + 13'(ahead_q.out_block);
  assign in_number   = 13'(ahead_q.in_base) + 13'(ahead_q.in_block);
  assign in_last     = ahead_q.in_block == shape_i.in_blocks - 12'd1;
  assign out_last    = ahead_q.out_block == shape_i.out_blocks - 12'd1;
  assign bundle_last = 13'(ahead_q.in_base) + 13'(shape_i.in_blocks) >= 13'(shape_i.ins);
  always_comb begin
    ahead_d            = ahead_q;
    ahead_d.in_table   = !ahead_q.in_table;
    ahead_d.in_block   = ahead_q.in_block + 12'd1;
    ahead_d.w_in       = ahead_q.w_in + w_rows;
    ahead_d.in_in      = ahead_q.in_in + in_images;
    ahead_d.codes_tile = ahead_q.codes_tile + 32'(sizes_i.tile);
    if (in_last) begin
      ahead_d.in_block   = '0;
      ahead_d.w_in       = ahead_q.w_bundle;
      ahead_d.in_in      = ahead_q.in_bundle;
      ahead_d.codes_tile = '0;
      ahead_d.out_table  = !ahead_q.out_table;
      ahead_d.out_block  = ahead_q.out_block + 12'd1;
      ahead_d.w_out      = ahead_q.w_out + {18'd0, shape_i.taps, 6'd0};
      ahead_d.in_tile    = ahead_q.in_tile + 32'(sizes_i.tile);
      ahead_d.codes_out  = ahead_q.codes_out + {2'd0, sizes_i.out_image, 4'd0};
    end
    if (in_last && out_last) begin
      ahead_d.valid     = !bundle_last && ahead_q.valid;
      ahead_d.out_block = '0;
      ahead_d.out_base  = ahead_q.out_base + shape_i.out_blocks;
      ahead_d.in_base   = ahead_q.in_base + shape_i.in_blocks;
      ahead_d.w_bundle  = ahead_q.w_in + w_rows;
      ahead_d.w_in      = ahead_q.w_in + w_rows;
      ahead_d.w_out     = '0;
      ahead_d.in_bundle = ahead_q.in_in + in_images;
      ahead_d.in_in     = ahead_q.in_in + in_images;
      ahead_d.in_tile   = '0;
    end
  end

  logic stored, out, in;
  assign stored = in_number < 13'(shape_i.ins);
  assign out    = out_number < 13'(shape_i.outs);
  assign in     = both && stored;
  assign square_valid_o = state_q == Describe && ahead_q.valid;
  assign square_o = '{out: out && ahead_q.in_block == '0, in: in, out_table: ahead_q.out_table,
                      in_table: ahead_q.in_table, unit_in: ahead_q.out_block == '0, out_block: out_number[11:0],
                      in_block: in_number[11:0]};

  // The square at hand, in jobs.
  logic valid_q, last_q;
  job_t job_q;
  logic [31:0] w_q, word_addr_q;
  logic [7:0] left_q;                // taps
  logic [4:0] most, taps;
  logic [9:0] words;
  logic [3:0] channel_q;
  logic ends;
  always_comb begin
    unique case (kernel_w)  // whole rows of at most ChunkTaps taps
      4'd1, 4'd2, 4'd4, 4'd8: most = 5'(ChunkTaps);
      4'd3, 4'd5:             most = 5'd15;
      4'd6:                   most = 5'd12;
      4'd7:                   most = 5'd14;
      default:                most = {1'b0, kernel_w};
    endcase
  end
  assign taps = left_q < 8'(most) ? left_q[4:0] : most;
  assign ends = left_q <= 8'(most);
  assign words = 10'(job_q.taps) * 10'(bits);
  assign job_valid_o = state_q == Job && channel_q == 4'd3;
  always_comb begin
    job_o      = job_q;
    job_o.last = ends && last_q;
    job_o.ends = ends;
  end

  assign rd_req_o.valid = (state_q == AskOut && ahead_q.valid && square_o.out)
        || (state_q == AskIn && ahead_q.valid && in)
      || state_q == Words;
  always_comb begin
    unique case (state_q)
      AskOut:  rd_req_o.addr = words_i[WEIGHT_FIELD_MAX_OUT_ADDR_WORD] + 32'd64 + {13'd0, out_number, 6'd0};
      AskIn:   rd_req_o.addr = words_i[WEIGHT_FIELD_MAX_IN_ADDR_WORD] + 32'd64 + {13'd0, in_number, 6'd0};
      default: rd_req_o.addr = word_addr_q;
    endcase
  end
  assign rd_req_o.bytes = state_q == Words ? {7'd0, job_q.taps, 6'd0} : 18'd64;
  assign maxima_o       = state_q != Words;
  assign side_o         = state_q == AskIn;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        valid_q            <= 1'b0;
        ahead_q            <= '0;
        ahead_q.valid      <= 1'b1;
        ahead_q.w_bundle   <= words_i[WEIGHT_FIELD_W_ADDR_WORD];
        ahead_q.w_in       <= words_i[WEIGHT_FIELD_W_ADDR_WORD];
        ahead_q.codes_out  <= words_i[WEIGHT_FIELD_CODES_ADDR_WORD];
        ahead_q.in_bundle  <= words_i[WEIGHT_FIELD_CODES_IN_ADDR_WORD];
        ahead_q.in_in      <= words_i[WEIGHT_FIELD_CODES_IN_ADDR_WORD];
        if (start_i) state_q <= AskOut;
      end
      AskOut: if (!rd_req_o.valid || rd_req_ready_i) state_q <= AskIn;
      AskIn:  if (!rd_req_o.valid || rd_req_ready_i) state_q <= Describe;
      Describe: begin
        channel_q <= '0;
        if (!ahead_q.valid || square_ready_i) state_q <= valid_q ? Job : Move;
      end
      Job: begin  // taps, words, addresses; then it is handed over
        job_q.taps  <= taps;
        job_q.words <= words[8:0];
        word_addr_q <= w_q;
        if (channel_q != 4'd3) channel_q <= channel_q + 4'd1;
        if (channel_q == 4'd2) job_q.in_addr <= job_q.in_addr - {22'd0, job_q.words, 1'b0};
        if (channel_q == 4'd3 && job_ready_i) begin
          channel_q <= '0;
          state_q   <= Words;
          if (!job_q.stored) begin
            left_q         <= left_q - 8'(job_q.taps);
            job_q.out_addr <= job_q.out_addr + {22'd0, job_q.words, 1'b0};
            state_q        <= ends ? Move : Job;
          end
        end
      end
      Words:
      if (rd_req_ready_i) begin
        channel_q   <= channel_q + 4'd1;
        word_addr_q <= word_addr_q + w_row;
        if (channel_q == '1) begin
          left_q         <= left_q - 8'(job_q.taps);
          w_q            <= w_q + {21'd0, job_q.taps, 6'd0};
          job_q.out_addr <= job_q.out_addr + {22'd0, job_q.words, 1'b0};
          state_q        <= ends ? Move : Job;
        end
      end
      default: begin  // Move
        ahead_q         <= ahead_d;
        valid_q         <= ahead_q.valid;
        last_q          <= !ahead_d.valid;
        left_q          <= shape_i.taps;
        w_q             <= ahead_q.w_in + ahead_q.w_out;
        job_q           <= '0;
        job_q.stored    <= stored;
        job_q.out       <= out;
        job_q.in        <= in;
        job_q.out_table <= ahead_q.out_table;
        job_q.in_table  <= ahead_q.in_table;
        job_q.out_addr  <= ahead_q.codes_out + ahead_q.codes_tile;
        job_q.in_addr   <= ahead_q.in_in + ahead_q.in_tile + 32'(sizes_i.tile);  // jobs go down from its end
        state_q         <= ahead_q.valid ? AskOut : Idle;
      end
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, words_i, sizes_i, words[9], w_row[31:28]};
endmodule
