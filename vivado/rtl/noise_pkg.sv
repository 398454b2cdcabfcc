/// The generator of stochastic rounding (contract, section 5): one step of its mix.
package noise_pkg;
  /// mix(x) is step(step(step(x, 14, 13), 11, 5), 16, 4).
  function automatic logic [31:0] mix_step(logic [31:0] x, int unsigned right, int unsigned left);
    logic [31:0] y;
    y = x ^ (x >> right);
    return y + (y << left);
  endfunction
endpackage
