/// Judges the registers that a list is started with: the LIST_ checks.
module list_check
  import contract_pkg::*;
(
    input  logic [63:0] mem_base_i,
    input  logic [31:0] mem_bytes_i,
    input  logic [31:0] list_offset_i,
    input  logic [31:0] list_bytes_i,
    output logic [ 7:0] error_o         ///< the first check that fails, or OK
);
  logic [32:0] mem_end, list_end;
  assign mem_end  = 33'(mem_base_i[31:0]) + 33'(mem_bytes_i);
  assign list_end = 33'(list_offset_i) + 33'(list_bytes_i);

  always_comb begin
    if ({mem_base_i[5:0], mem_bytes_i[5:0], list_offset_i[5:0]} != '0) begin
      error_o = 8'(ERROR_LIST_ALIGNMENT);
    end else if (list_bytes_i[6:0] != '0) begin
      error_o = 8'(ERROR_LIST_TRUNCATED);
    end else if (mem_base_i[63:32] != '0 || mem_end > 33'h1_0000_0000
                 || list_end > 33'(mem_bytes_i)) begin
      error_o = 8'(ERROR_LIST_RANGE);
    end else begin
      error_o = 8'(ERROR_OK);
    end
  end
endmodule
