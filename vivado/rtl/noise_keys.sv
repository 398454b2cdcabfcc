/// The two keys of a command's noise, from its seed; they are made in some 20 cycles from start_i on.
///
/// The keys before stay until own_i: those of the next command are made while one runs.
module noise_keys
  import contract_pkg::*;
  import noise_pkg::*;
(
    input  logic        clk_i,
    input  logic        start_i,
    input  logic [31:0] seed_lo_i,  ///< stable from start_i on
    input  logic [31:0] seed_hi_i,
    input  logic        own_i,      ///< the seed is of the running command
    output logic [31:0] key_0_o,
    output logic [31:0] key_1_o
);
  logic [31:0] x_q, mixed, key_0_q;  // x_q is key 1 in the end
  logic [1:0] step_q;
  logic [2:0] mix_q;  // 0..4, then at rest

  always_comb begin
    unique case (step_q)
      2'd0:    mixed = mix_step(x_q, 14, 13);
      2'd1:    mixed = mix_step(x_q, 11, 5);
      default: mixed = mix_step(x_q, 16, 4);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      x_q    <= seed_lo_i ^ NOISE_SALT_0;
      step_q <= '0;
      mix_q  <= '0;
    end else if (mix_q < 3'd5) begin
      x_q    <= mixed;
      step_q <= step_q == 2'd2 ? '0 : step_q + 2'd1;
      if (step_q == 2'd2) begin
        mix_q <= mix_q + 3'd1;
        unique case (mix_q)
          3'd0: x_q <= mixed + seed_hi_i;
          3'd1: x_q <= mixed ^ NOISE_SALT_1;
          3'd2: begin
            key_0_q <= mixed;
            x_q     <= mixed + seed_lo_i;
          end
          3'd3: x_q <= mixed ^ seed_hi_i;
          default: ;
        endcase
      end
    end
    if (own_i) begin
      key_0_o <= key_0_q;
      key_1_o <= x_q;
    end
  end
endmodule
