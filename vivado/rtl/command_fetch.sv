/// Reads one command of 128 bytes over AXI4 and keeps its words.
///
/// A command lies on a multiple of 64 bytes, so two bursts of 64 bytes never cross a 4 KB boundary and need no
/// shifting.
module command_fetch
  import contract_pkg::*;
  import command_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,             ///< width of the bus, divides 64
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,     ///< only when idle_o
    input  logic [        31:0] addr_i,      ///< bus address, a multiple of 64
    output logic                idle_o,      ///< nothing is in flight
    output words_t              words_o,     ///< valid when idle again, until the next start
    output logic                reserved_o,  ///< a bit of a word that holds no field is set
    output logic                error_o,     ///< a beat was answered with an error
    output logic                ar_valid_o,
    input  logic                ar_ready_i,
    output logic [        31:0] ar_addr_o,
    output logic [         7:0] ar_len_o,
    input  logic                r_valid_i,
    output logic                r_ready_o,
    input  logic [DataBits-1:0] r_data_i,
    input  logic [         1:0] r_resp_i
);
  localparam int unsigned Beats        = COMMAND_BYTES / BusBytes;
  localparam int unsigned WordsPerBeat = BusBytes / 4;
  localparam int unsigned BeatBits     = $clog2(Beats);

  if (BusBytes < 4 || 64 % BusBytes != 0) begin : gen_bad_bus
    $error("command_fetch: BusBytes does not divide 64, from 4");
  end

  logic busy_q, second_q;
  logic [BeatBits-1:0] beat_q;
  logic [31:6] block_q;
  logic [31:0] words_q[UsedWords];

  assign idle_o    = !busy_q;
  assign ar_addr_o = {block_q, 6'd0};
  assign ar_len_o  = 8'(64 / BusBytes - 1);
  assign r_ready_o = 1'b1;

  // Words of this beat that hold no field.
  logic reserved;
  always_comb begin
    reserved = 1'b0;
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (is_reserved(32'(beat_q) * WordsPerBeat + i)) reserved |= r_data_i[32*i+:32] != '0;
    end
  end

  for (genvar i = 0; i < UsedWords; i++) begin : gen_word
    assign words_o[i] = words_q[i];
    always_ff @(posedge clk_i) begin
      if (r_valid_i && beat_q == BeatBits'(i / WordsPerBeat)) begin
        words_q[i] <= r_data_i[32*(i%WordsPerBeat)+:32];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      busy_q     <= 1'b1;
      ar_valid_o <= 1'b1;
      second_q   <= 1'b0;
      block_q    <= addr_i[31:6];
      beat_q     <= '0;
      reserved_o <= 1'b0;
      error_o    <= 1'b0;
    end else begin
      if (ar_valid_o && ar_ready_i) begin
        second_q   <= 1'b1;
        ar_valid_o <= !second_q;
        block_q    <= block_q + 26'd1;
      end
      if (r_valid_i) begin
        beat_q     <= beat_q + 1'b1;
        busy_q     <= beat_q != BeatBits'(Beats - 1);
        reserved_o <= reserved_o || reserved;
        error_o    <= error_o || r_resp_i[1];
      end
    end
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      ar_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, addr_i[5:0], r_resp_i[0]};
endmodule
