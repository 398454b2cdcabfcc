/// Row steps and chunks between the loader and the array, and whether there is room for more.
///
/// A row step is *ahead* from when it is asked for until the array is done with it, *coming* until it is in the
/// memories. What is ahead when the loader turns to the next command, or pass, is left to that one as *earlier*.
module load_credits
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        wgrad_i,
    input  logic [ 3:0] step_rows_i,      ///< of the plan: new rows of a row step,
    input  logic [ 3:0] pass_ky_i,        ///< kernel rows of a pass,
    input  logic [ 5:0] ring_rows_i,      ///< rows that a lane keeps,
    input  logic [ 4:0] most_ahead_i,     ///< row steps ahead,
    input  logic [ 2:0] chunk_buffers_i,  ///< chunks that fit the column memories,
    input  logic        column_free_i,    ///< all of them next to those of the command before
    input  logic        command_i,        ///< the next command begins, or
    input  logic        pass_i,           ///< the next pass
    input  logic        asked_i,          ///< a row step is asked for
    input  logic        begins_chunk_i,   ///< it is, or would be, the first of its chunk
    input  logic        step_loaded_i,    ///< a row step is in the memories
    input  logic        step_done_i,      ///< the array is done with one, and
    input  logic        chunk_done_i,     ///< with a chunk
    input  logic [ 4:0] batch_i,          ///< row steps to be asked for next, known three cycles before
    output logic        room_o,           ///< there is room for them
    output logic        none_ahead_o,     ///< the array is done with all of this command
    output logic        none_earlier_o,   ///< and with all of the pass before
    output logic        none_coming_o,
    output logic        last_chunk_o      ///< one chunk at most is not done
);
  logic [5:0] earlier_command_q, earlier_pass_q, ahead_q, coming_q;
  logic [2:0] chunks_q;                 // begun, and not done
  logic [9:0] rows_q;                   // of the ring, for what is ahead
  logic [11:0] needed_q;                // for the next batch, with the kernel rows around it
  logic own_done, first_chunk;
  assign own_done       = step_done_i && earlier_command_q == '0;
  assign first_chunk    = chunks_q == '0 || column_free_i || earlier_command_q == '0;
  assign none_ahead_o   = ahead_q == '0;
  assign none_earlier_o = earlier_pass_q == '0;
  assign none_coming_o  = coming_q == '0;
  assign last_chunk_o   = chunks_q <= 3'd1;
  assign room_o = 12'(rows_q) + needed_q <= 12'(ring_rows_i)
      && ahead_q + 6'(batch_i) <= 6'(most_ahead_i)
      && earlier_command_q + ahead_q + 6'(batch_i) <= 6'(MostAhead)
      && (!wgrad_i || !begins_chunk_i || (chunks_q < chunk_buffers_i && first_chunk));

  always_ff @(posedge clk_i) begin
    needed_q <= 12'(small_product(7'(batch_i) - 7'd1, step_rows_i))
        + (12'(pass_ky_i) + (earlier_pass_q != '0 ? 12'(pass_ky_i) - 12'(step_rows_i) : '0));
    ahead_q  <= ahead_q + 6'(asked_i) - 6'(own_done);
    rows_q   <= rows_q + 10'(asked_i ? step_rows_i : '0) - 10'(own_done ? step_rows_i : '0);
    coming_q <= coming_q + 6'(asked_i) - 6'(step_loaded_i);
    chunks_q <= chunks_q + 3'(asked_i && begins_chunk_i && wgrad_i)
        - 3'(chunk_done_i && earlier_command_q == '0 && wgrad_i);
    if (step_done_i && earlier_command_q != '0) earlier_command_q <= earlier_command_q - 6'd1;
    if (own_done && earlier_pass_q != '0) earlier_pass_q <= earlier_pass_q - 6'd1;
    if (pass_i) earlier_pass_q <= ahead_q - 6'(own_done);
    if (command_i) begin
      earlier_command_q <= earlier_command_q + ahead_q - 6'(step_done_i);
      earlier_pass_q    <= '0;
      ahead_q           <= '0;
      rows_q            <= '0;
      chunks_q          <= '0;
    end
    if (!rst_ni) begin
      earlier_command_q <= '0;
      ahead_q           <= '0;
      rows_q            <= '0;
      coming_q          <= '0;
      chunks_q          <= '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      done_were_asked_for : assert (!step_done_i || earlier_command_q != '0 || ahead_q != '0);
      loaded_were_coming  : assert (!step_loaded_i || coming_q != '0);
      rows_have_a_number  : assert (7'(earlier_command_q) + 7'(ahead_q) <= 7'(MostAhead));
      rows_fit_the_ring   : assert (command_i || rows_q == '0
          || 12'(rows_q) + 12'(pass_ky_i) <= 12'(ring_rows_i) + 12'(step_rows_i));
      chunks_have_buffers : assert (command_i || !wgrad_i || chunks_q == '0 || chunks_q <= chunk_buffers_i);
      chunks_were_begun   : assert (!chunk_done_i || earlier_command_q != '0 || !wgrad_i || chunks_q != '0);
    end
  end
`endif
endmodule
