/// Reads a layer's gradients, weights and velocities side by side: chunks of 16 beats, one tensor after the other, into
/// a queue each, and out of the queues `Lanes` words a cycle.
///
/// A queue holds two chunks, so what a step needs always comes before what the queues have no room for.
module weight_update_reads
  import vector_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Lanes    = 1,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   start_i,         ///< begin a pass; the rest of the command stays
    input  logic                   only_w_i,        ///< of this pass: gradients and velocities are not read
    input  logic                   wide_i,          ///< gradients have 64 bits
    input  logic [31:0]            acc_addr_i,
    input  logic [31:0]            w_addr_i,
    input  logic [31:0]            v_addr_i,
    input  logic [28:0]            beats_i,         ///< of w
    output request_t               rd_req_o,
    input  logic                   rd_req_ready_i,
    input  logic                   rd_valid_i,
    output logic                   rd_ready_o,
    input  logic [DataBits-1:0]    rd_data_i,
    input  logic                   rd_last_i,
    output logic                   valid_o,         ///< words are there
    input  logic                   take_i,
    output logic [Lanes-1:0][47:0] acc_o,
    output logic [Lanes-1:0][31:0] w_o,
    output logic [Lanes-1:0][31:0] v_o
);
  localparam int unsigned ChunkBeats = 16;
  localparam int unsigned Steps      = BusBytes / 4 / Lanes;  // of a beat of words
  localparam int unsigned StepBits   = $clog2(Steps);
  typedef enum logic [1:0] { Acc, W, V } tensor_e;

  // Requests.
  tensor_e asked_q;
  logic active_q;
  logic [28:0] left_q;
  logic [4:0] beats;
  logic [31:0] acc_addr_q, w_addr_q, v_addr_q, bytes;
  assign beats          = left_q >= 29'(ChunkBeats) ? 5'(ChunkBeats) : left_q[4:0];
  assign bytes          = 32'(beats) * 32'(BusBytes);
  assign rd_req_o.valid = active_q;
  assign rd_req_o.addr  = asked_q == Acc ? acc_addr_q : asked_q == W ? w_addr_q : v_addr_q;
  assign rd_req_o.bytes = asked_q == Acc && wide_i ? {bytes[16:0], 1'b0} : bytes[17:0];
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      acc_addr_q <= acc_addr_i;
      w_addr_q   <= w_addr_i;
      v_addr_q   <= v_addr_i;
      left_q     <= beats_i;
      asked_q    <= only_w_i ? W : Acc;
    end else if (active_q && rd_req_ready_i) begin
      unique case (asked_q)
        Acc: begin
          asked_q    <= W;
          acc_addr_q <= acc_addr_q + (wide_i ? {bytes[30:0], 1'b0} : bytes);
        end
        W: begin
          asked_q  <= only_w_i ? W : V;
          w_addr_q <= w_addr_q + bytes;
        end
        default: begin
          asked_q  <= Acc;
          v_addr_q <= v_addr_q + bytes;
        end
      endcase
      if (asked_q == V || only_w_i) left_q <= left_q - 29'(beats);
    end
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (rd_req_ready_i && left_q == 29'(beats) && (asked_q == V || only_w_i)) active_q <= 1'b0;
  end

  // Answers, in the same order.
  tensor_e given_q;
  logic [2:0] push, pop, full, empty;
  logic [DataBits-1:0] acc_beat, w_beat, v_beat;
  always_comb begin
    push          = '0;
    push[given_q] = rd_valid_i && !full[given_q];
  end
  assign rd_ready_o = !full[given_q];
  always_ff @(posedge clk_i) begin
    if (start_i) given_q <= only_w_i ? W : Acc;
    else if (rd_valid_i && rd_ready_o && rd_last_i && !only_w_i) given_q <= given_q == Acc ? W : given_q == W ? V : Acc;
    if (!rst_ni) given_q <= Acc;
  end
  sync_fifo #(.Width(DataBits), .Depth(4 * ChunkBeats)) u_acc (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (push[Acc]),
      .data_i (rd_data_i),
      .pop_i  (pop[Acc]),
      .data_o (acc_beat),
      .full_o (full[Acc]),
      .empty_o(empty[Acc])
  );
  sync_fifo #(.Width(DataBits), .Depth(2 * ChunkBeats)) u_w (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (push[W]),
      .data_i (rd_data_i),
      .pop_i  (pop[W]),
      .data_o (w_beat),
      .full_o (full[W]),
      .empty_o(empty[W])
  );
  sync_fifo #(.Width(DataBits), .Depth(2 * ChunkBeats)) u_v (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (push[V]),
      .data_i (rd_data_i),
      .pop_i  (pop[V]),
      .data_o (v_beat),
      .full_o (full[V]),
      .empty_o(empty[V])
  );

  // Steps. A beat of wide gradients has half as many of them.
  logic [StepBits-1:0] step_q;
  logic last, half;
  assign last    = step_q == '1;
  assign half    = (step_q | StepBits'(1 << (StepBits - 1))) == '1;
  assign valid_o = !empty[W] && (only_w_i || (!empty[Acc] && !empty[V]));
  assign pop[W]   = take_i && last;
  assign pop[V]   = take_i && last && !only_w_i;
  assign pop[Acc] = take_i && (wide_i ? half : last) && !only_w_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) step_q <= '0;
    else if (take_i) step_q <= step_q + 1'b1;
  end

  logic [Steps-1:0][Lanes-1:0][31:0] acc_words, w_words, v_words;
  logic [Steps/2-1:0][Lanes-1:0][63:0] acc_longs;
  logic [Lanes-1:0][63:0] acc_long;
  logic [Lanes-1:0][31:0] acc_word;
  assign acc_words = acc_beat;
  assign acc_longs = acc_beat;
  assign w_words   = w_beat;
  assign v_words   = v_beat;
  assign w_o       = w_words[step_q];
  assign v_o       = v_words[step_q];
  assign acc_word  = acc_words[step_q];
  if (Steps == 2) begin : gen_one_long
    assign acc_long = acc_longs;
  end else begin : gen_longs
    assign acc_long = acc_longs[step_q[StepBits-2:0]];
  end
  for (genvar i = 0; i < Lanes; i++) begin : gen_acc
    assign acc_o[i] = wide_i ? acc_long[i][47:0] : 48'($signed(acc_word[i]));
  end

  logic unused;
  assign unused = &{1'b0, acc_long, bytes[31:18]};
endmodule
