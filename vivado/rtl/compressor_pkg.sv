/// Contents of the LUTs that the bit counters are made of: LUT6_2 with two functions of the same five inputs.
package compressor_pkg;
  // verilator lint_off UNUSEDPARAM

  /// How many of the bits are set.
  function automatic int unsigned ones(logic [5:0] bits);
    ones = 0;
    for (int i = 0; i < 6; i++) ones += 32'(bits[i]);
  endfunction

  /// O6: parity, O5: carry of z + (a & b) + (c & d), inputs {1, z, a, b, c, d}.
  function automatic logic [63:0] two_products_init();
    for (int i = 0; i < 32; i++) begin
      automatic logic [4:0] in = 5'(i);
      automatic logic [1:0] sum = 2'(in[4]) + 2'(in[3] & in[2]) + 2'(in[1] & in[0]);
      two_products_init[32+i] = sum[0];
      two_products_init[i]    = sum[1];
    end
  endfunction

  /// O6: two or three, O5: four or five of five bits, inputs {1, x4 .. x0}.
  function automatic logic [63:0] five_init();
    for (int i = 0; i < 32; i++) begin
      five_init[32+i] = ones(6'(i)) inside {2, 3};
      five_init[i]    = ones(6'(i)) >= 4;
    end
  endfunction

  /// O6: parity of six bits, O5: of the lower five.
  function automatic logic [63:0] parity_init();
    for (int i = 0; i < 64; i++) parity_init[i] = ^6'(i);
  endfunction

  /// O6: x ^ y, O5: y, inputs {1, -, -, -, y, x}: the first place of a chain whose carry input is a third bit.
  function automatic logic [63:0] pair_init();
    for (int i = 0; i < 32; i++) begin
      pair_init[32+i] = i[0] ^ i[1];
      pair_init[i]    = i[1];
    end
  endfunction

  /// O6: parity of x, y, z and the carry m from below, O5: carry of x, y, z; inputs {1, -, m, z, y, x}.
  function automatic logic [63:0] ternary_init();
    for (int i = 0; i < 32; i++) begin
      ternary_init[32+i] = ^4'(i);
      ternary_init[i]    = ones({3'd0, 3'(i)}) >= 2;
    end
  endfunction

  localparam logic [63:0] TwoProducts = two_products_init();
  localparam logic [63:0] Five        = five_init();
  localparam logic [63:0] Parity      = parity_init();
  localparam logic [63:0] Pair        = pair_init();
  localparam logic [63:0] Ternary     = ternary_init();
  // verilator lint_on UNUSEDPARAM
endpackage
