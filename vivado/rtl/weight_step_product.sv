/// What a gradient is multiplied by: p = x.step * e.step, a product of scalars, as G and g with p * 2^24 ~ G * 2^-g.
///
/// Serial, once a command: each operand is shifted until its leading one is on top, then they are multiplied bit by
/// bit.
module weight_step_product
  import contract_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,       ///< take x_i and e_i
    input  logic [63:0] x_i,           ///< a scalar as memory holds it: m, then the exponent
    input  logic [63:0] e_i,
    output logic        done_o,        ///< one cycle: the rest is valid from now on
    output logic [24:0] multiplier_o,  ///< G
    output logic        up_o,          ///< g <= 0
    output logic [ 6:0] shift_o        ///< g, or 32 + g with up_o; limited to where it matters
);
  typedef logic signed [35:0] exponent_t;
  localparam exponent_t Most = exponent_t'(MAX_EXPONENT);

  typedef enum logic [2:0] { Idle, First, Second, Multiply, Limit, Finish } state_e;
  state_e state_q;
  logic negative_q, zero_q;
  logic [31:0] size_q;           // of the operand at hand
  logic [30:0] first_q;          // the one before
  exponent_t e_q, first_e_q;
  logic [61:0] product_q;
  logic [ 4:0] left_q;

  function automatic logic [31:0] magnitude(logic [31:0] m);
    return m[31] ? -m : m;
  endfunction

  // A mantissa and an exponent with the limits of a scalar.
  logic ready, high, low;
  logic [30:0] mantissa;
  exponent_t exponent;
  assign ready    = size_q[31:30] == 2'b01 || size_q == '0;
  assign high     = e_q > Most;
  assign low      = e_q < -Most;
  assign mantissa = low ? '0 : high ? '1 : size_q[30:0];
  assign exponent = high ? Most : e_q;

  logic [31:0] added;
  assign added = {1'b0, product_q[61:31]} + (product_q[0] ? {1'b0, first_q} : '0);

  exponent_t g;
  logic [31:0] signed_mantissa;
  assign g               = -(first_e_q + 36'sd31);
  assign signed_mantissa = negative_q ? -{1'b0, first_q} : {1'b0, first_q};

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    unique case (state_q)
      Idle: begin
        negative_q <= x_i[31] != e_i[31];
        size_q     <= magnitude(x_i[31:0]);
        e_q        <= exponent_t'($signed(x_i[63:32]));
        if (start_i) state_q <= First;
      end
      First, Second:
      if (!ready) begin
        size_q <= size_q[31] ? size_q >> 1 : size_q << 1;
        e_q    <= size_q[31] ? e_q + 36'sd1 : e_q - 36'sd1;
      end else begin
        first_q   <= mantissa;
        first_e_q <= exponent;
        size_q    <= magnitude(e_i[31:0]);
        e_q       <= state_q == First ? exponent_t'($signed(e_i[63:32])) : exponent + first_e_q;
        zero_q    <= mantissa == '0 || (state_q == Second && zero_q);
        state_q   <= state_q == First ? Second : Multiply;
        left_q    <= 5'd30;
        // The second operand lies in the product's low half, and is used up from below.
        product_q <= {31'd0, mantissa};
        if (state_q == Second) first_q <= first_q;
      end
      Multiply: begin
        product_q <= {added, product_q[30:1]};
        left_q    <= left_q - 5'd1;
        if (left_q == '0) state_q <= Limit;
      end
      Limit: begin
        size_q  <= {1'b0, product_q[61] ? product_q[61:31] : product_q[60:30]};
        e_q     <= e_q + (product_q[61] ? 36'sd31 : 36'sd30);
        state_q <= Finish;
        left_q  <= '0;
      end
      default: begin  // Finish
        left_q    <= left_q + 5'd1;
        first_q   <= mantissa;
        first_e_q <= exponent;
        if (left_q == 5'd1) begin
          multiplier_o <= zero_q ? '0 : signed_mantissa[31:7];
          up_o         <= g <= 0;
          shift_o      <= g > 36'sd73 ? 7'd73 : g > 0 ? g[6:0] : g < -36'sd32 ? 7'd0 : g[6:0] + 7'd32;
          done_o       <= 1'b1;
          state_q      <= Idle;
        end
      end
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, signed_mantissa[6:0]};
endmodule
