/// Prepares a MAP: reads and judges its headers, computes the sizes of its tensors, makes the noise keys.
module map_setup
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import map_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Lanes    = 32,
    parameter  int unsigned Banks    = 16
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_i,
    input  words_t                words_i,
    output logic                  done_o,        ///< one cycle: all below is valid, and stays
    output logic                  good_o,        ///< the headers are fit to be used
    output map_t                  map_o,
    output tensor_t [Tensors-1:0] reads_o,
    output tensor_t [Tensors-1:0] writes_o,
    output logic [27:0]           pixels_o,      ///< of a tile
    output logic [27:0]           all_pixels_o,  ///< of an image, all blocks
    output logic [ 4:0]           k_o,
    output logic [ 6:0]           j_o,
    output logic [39:0]           multiplier_o,  ///< times 2^(15 - s modulo 16)
    output logic [ 5:0]           scale_shift_o,
    output logic [31:0]           key_0_o,
    output logic [31:0]           key_1_o,
    output request_t              rd_req_o,
    input  logic                  rd_req_ready_i,
    input  logic                  rd_valid_i,
    output logic                  rd_ready_o,
    input  logic [8*BusBytes-1:0] rd_data_i
);
  localparam int unsigned Beats     = 64 / BusBytes;  // of a header
  localparam int unsigned BusWords  = BusBytes / 2;
  localparam int unsigned LaneBits  = $clog2(Lanes);
  localparam int unsigned BankBits  = $clog2(Banks);
  localparam int unsigned PixelBits = $clog2(Banks / 16);

  logic [15:0] flags;
  assign flags = words_i[1][15:0];
  logic stochastic, scales, reads_mask;
  assign stochastic = flags[MAP_FLAG_STOCHASTIC];
  assign scales     = words_i[1][23:16] != '0;
  assign reads_mask = flags[MAP_FLAG_MASK_X0] || flags[MAP_FLAG_MASK_OUT];

  // Headers: both are read, then both are judged.
  typedef enum logic [2:0] { Idle, AskScales, AskStep, TakeScales, TakeStep, Judge, Keys, Ready } state_e;
  state_e state_q;
  logic [2:0] beat_q;
  logic [4:0] wait_q;
  logic last_beat;
  logic [1:0][511:0] headers_q;  // coefficients, step
  assign last_beat  = beat_q == 3'(Beats - 1);
  assign rd_req_o   = '{valid: state_q inside {AskScales, AskStep},
                        addr: words_i[state_q == AskScales ? MAP_FIELD_COEFFICIENTS_ADDR_WORD
                              : MAP_FIELD_STEP_ADDR_WORD],
                        bytes: 18'(TENSOR_ALIGNMENT)};
  assign rd_ready_o = state_q inside {TakeScales, TakeStep};

  logic scales_good, step_good;
  logic [31:0] j;
  logic signed [31:0] shift_j;
  assign j           = headers_q[0][127:96];
  assign shift_j     = j;
  assign scales_good = !scales || (headers_q[0][31:0] == BLOCK_COEFFICIENTS
      && headers_q[0][63:32] == {16'd0, words_i[4][11:0], 4'd0} && headers_q[0][95:64] <= MAX_MAP_SHIFT
      && shift_j >= -$signed(MAX_SHIFT) && shift_j <= $signed(MAX_SHIFT) && headers_q[0][191:160] <= MAX_SCALE_SHIFT);
  assign step_good   = !stochastic || (headers_q[1][31:0] == BLOCK_STEP && headers_q[1][63:32] == '0);

  logic sized, keys_start;
  logic [63:0] seed_q;
  assign keys_start = state_q == Judge;
  noise_keys u_keys (
      .clk_i,
      .start_i  (state_q == Keys && wait_q == '0),
      .seed_lo_i(seed_q[31:0]),
      .seed_hi_i(seed_q[63:32]),
      .own_i    (1'b1),
      .key_0_o,
      .key_1_o
  );

  always_ff @(posedge clk_i) begin
    done_o <= state_q == Ready && sized;
    unique case (state_q)
      Idle: begin
        beat_q <= '0;
        wait_q <= '0;
        if (start_i) state_q <= scales ? AskScales : Keys;  // without coefficients there is no rounding
      end
      AskScales: if (rd_req_ready_i) state_q <= stochastic ? AskStep : TakeScales;
      AskStep:   if (rd_req_ready_i) state_q <= TakeScales;
      TakeScales, TakeStep: if (rd_valid_i) begin
        for (int i = 0; i < Beats; i++)
          if (beat_q == 3'(i)) headers_q[state_q==TakeStep][8*BusBytes*i+:8*BusBytes] <= rd_data_i;
        beat_q <= last_beat ? '0 : beat_q + 3'd1;
        if (last_beat) state_q <= state_q == TakeScales && stochastic ? TakeStep : Judge;
      end
      Judge: state_q <= Keys;
      Keys: begin
        wait_q <= wait_q + 5'd1;
        if (wait_q < {1'b0, ~scale_shift_o[3:0]}) multiplier_o <= multiplier_o << 1;
        if (wait_q == '1) state_q <= Ready;
      end
      default: if (sized) state_q <= Idle;
    endcase
    if (keys_start) begin
      good_o        <= scales_good && step_good;
      k_o           <= headers_q[0][68:64];
      j_o           <= j[6:0];
      multiplier_o  <= 40'($signed(headers_q[0][152:128]));
      scale_shift_o <= headers_q[0][165:160];
      seed_q        <= headers_q[1][127:64] + {words_i[16], words_i[15]};
    end
    if (start_i) begin
      good_o <= 1'b1;
      k_o    <= '0;
      j_o    <= '0;
    end
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end
  end

  // Sizes: words of a row, then of a tile, then of an image, of one tensor after another, with one multiplier.
  logic [2:0] tensor_q;
  logic [1:0] size_q, phase_q;
  logic sizing_q;
  logic [24:0] x_q;
  logic [11:0] y_q;
  logic [36:0] product_q;
  logic [7:0][17:0] rows_q;
  logic [7:0][31:0] tiles_q, images_q;
  logic [7:0][4:0] bits;
  logic [11:0] height, width;
  assign bits   = {5'd1, 5'd0, words_i[1][28:24], words_i[1][20:16],
                   5'd1, words_i[0][28:24], words_i[0][20:16], words_i[0][12:8]};
  assign height = flags[MAP_FLAG_BROADCAST] && tensor_q == '0 ? 12'd1 : words_i[5][11:0];
  assign width  = flags[MAP_FLAG_BROADCAST] && tensor_q == '0 ? 12'd1 : words_i[5][27:16];
  assign sized  = !sizing_q;
  always_ff @(posedge clk_i) begin
    unique case (size_q)
      2'd0:    {x_q, y_q} <= {25'(bits[tensor_q]), width};
      2'd1:    {x_q, y_q} <= {product_q[24:0], height};
      default: {x_q, y_q} <= {product_q[24:0], words_i[4][11:0]};
    endcase
    if (phase_q == 2'd1) product_q <= 37'(x_q) * 37'(y_q);
    phase_q <= phase_q == 2'd2 ? '0 : phase_q + 2'd1;
    if (phase_q == 2'd2 && sizing_q) begin
      size_q <= size_q == 2'd2 ? '0 : size_q + 2'd1;
      unique case (size_q)
        2'd0: rows_q[tensor_q] <= {product_q[16:0], 1'b0};
        2'd1: tiles_q[tensor_q] <= {product_q[30:0], 1'b0};
        default: begin
          images_q[tensor_q] <= ({product_q[30:0], 1'b0} + 32'd63) & ~32'd63;
          tensor_q           <= tensor_q + 3'd1;
          all_pixels_o       <= product_q[27:0];  // the last tensor has one bit
          if (tensor_q == '1) sizing_q <= 1'b0;
        end
      endcase
    end
    if (start_i) begin
      tensor_q <= '0;
      size_q   <= '0;
      phase_q  <= '0;
      sizing_q <= 1'b1;
    end
  end

  function automatic tensor_t tensor_at(logic used, logic [2:0] index, logic [31:0] addr);
    return '{used: used, bits: bits[index], addr: addr, row: rows_q[index], tile: tiles_q[index],
             image: images_q[index]};
  endfunction
  always_comb begin
    for (int t = 0; t < 3; t++) reads_o[t] = tensor_at(bits[t] != '0, 3'(t), words_i[MAP_FIELD_X0_ADDR_WORD+t]);
    for (int t = 0; t < 2; t++)
      writes_o[t] = tensor_at(bits[t+4] != '0, 3'(t + 4), words_i[MAP_FIELD_OUT0_ADDR_WORD+t]);
    writes_o[2]          = '0;
    reads_o[MaskTensor]  = tensor_at(reads_mask, 3'd3, words_i[MAP_FIELD_MASK_ADDR_WORD]);
    writes_o[MaskTensor] = tensor_at(flags[MAP_FLAG_MASK_WRITE], 3'd7, words_i[MAP_FIELD_MASK_ADDR_WORD]);
  end

  assign pixels_o = tiles_q[7][28:1];

  // The strips' shape.
  logic whole, exact;
  logic [2:0] pitch;
  logic [11:0] map_width;
  assign map_width = words_i[5][27:16];
  assign whole     = map_width <= 12'(Lanes);
  assign exact     = whole && map_width == 12'd1 << pitch;
  always_comb begin
    pitch = 3'(LaneBits);
    for (int p = LaneBits - 1; p >= int'(PixelBits); p--) if (map_width <= 12'd1 << p) pitch = 3'(p);
  end
  always_ff @(posedge clk_i) begin
    map_o <= '{
        broadcast: flags[MAP_FLAG_BROADCAST],
        sums: flags[MAP_FLAG_TALLY],
        scales: scales,
        images: words_i[3][15:0],
        blocks: words_i[4][11:0],
        height: words_i[5][11:0],
        width: map_width,
        whole: whole,
        exact: exact,
        pitch: pitch,
        gather: exact && BusWords == Banks && 32'(pitch) < BankBits ? 3'(BankBits) - pitch : '0,
        coefficients: words_i[MAP_FIELD_COEFFICIENTS_ADDR_WORD],
        tally: words_i[MAP_FIELD_TALLY_ADDR_WORD]
    };
  end

  logic unused;
  assign unused = &{1'b0, words_i, headers_q, product_q};
endmodule
