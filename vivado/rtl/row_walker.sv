/// Walks over the rows of one lane in a batch: for each the kernel rows, which of them are inside the map, the new rows
/// of A to be read for them, and (WGRAD) the row of the error.
///
/// Row (y, ky) is row v = y * stride_y - pad_top + ky of the zero-inserted map; v >= virtual_pitch is in the next
/// image.
module row_walker
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  plan_t       plan_i,
    input  logic        begin_i,         ///< with the lane's place
    input  lane_place_t place_i,
    input  logic [ 4:0] batch_i,         ///< rows
    input  logic        whole_i,         ///< the first row needs all its kernel rows, not the new ones alone
    input  logic        row_moves_i,     ///< a row step is a row, or the last span of one
    input  logic        ready_i,         ///< the row of A or of the error is taken, or there is none
    output logic        step_o,          ///< with ready_i: a kernel row whose row of A is new, be it there or not
    output logic        a_valid_o,       ///< a row of A:
    output logic [31:0] a_base_o,        ///< address of its image,
    output logic [11:0] a_row_o,         ///< row there,
    output logic [ 1:0] a_image_o,       ///< number of the image, modulo 4
    output logic        error_o,         ///< a row of the error is due,
    output logic        error_valid_o,   ///< and there
    output logic        row_end_o,       ///< the row's mask and place of results are given
    input  logic        row_taken_i,     ///< and taken
    output logic [ 4:0] row_o,           ///< in the batch
    output logic        last_o,          ///< the batch's last
    output logic        live_o,          ///< the row is one of the result
    output logic [14:0] mask_o,
    output lane_place_t lane_o,          ///< where the lane is, and
    output lane_place_t moved_o          ///< after the row
);
  typedef enum logic [2:0] { Idle, Divide, KernelRow, ErrorRow, RowEnd } state_e;
  state_e state_q;
  plan_t p;
  assign p = plan_i;

  lane_place_t lane_q, moved;
  logic image_ends_q;                  // the lane's row is its image's last; known when it ends
  logic [20:0] stride_back_q;
  logic [4:0] row_q, divide_q;
  logic signed [20:0] v_q;
  logic [20:0] a_row_q;                // v / up_y, and
  logic [3:0] rest_q;                  // v % up_y, kept from 0 and from the next image's 0 on
  logic next_q;                        // v is in the next image
  logic [3:0] ky_q;
  logic [14:0] mask_q;
  logic in_map, is_new, begins_row;

  assign live_o = lane_q.n < 17'(p.c.images) && lane_q.y < 16'(p.c.y_height);
  assign in_map = !v_q[20] && rest_q == '0 && a_row_q < 21'(p.c.a_height);
  assign is_new = (whole_i && row_q == '0) || ky_q >= p.pass_ky - p.step_rows;

  assign step_o        = state_q == KernelRow && is_new;
  assign a_valid_o     = state_q == KernelRow && is_new && in_map && lane_q.n + 17'(next_q) < 17'(p.c.images);
  assign a_base_o      = next_q ? lane_q.a + p.c.a_image_stride : lane_q.a;
  assign a_row_o       = a_row_q[11:0];
  assign a_image_o     = lane_q.n[1:0] + 2'(next_q);
  assign error_o       = state_q == ErrorRow;
  assign error_valid_o = error_o && live_o;
  assign row_end_o     = state_q == RowEnd;
  assign row_o         = row_q;
  assign last_o        = row_q + 5'd1 == batch_i;
  assign mask_o        = mask_q;
  assign lane_o        = lane_q;
  assign moved_o       = moved;
  assign begins_row    = begin_i || (row_end_o && row_taken_i);

  always_comb begin
    moved = begin_i ? place_i : lane_q;
    if (!begin_i && row_moves_i) begin
      moved.y = lane_q.y + 16'd1;
      moved.v = lane_q.v + 21'(p.c.stride_y);
      if (image_ends_q) begin
        moved = '{
            n: lane_q.n + 17'd1,
            y: '0,
            v: lane_q.v + stride_back_q,
            a: lane_q.a + p.c.a_image_stride,
            b: lane_q.b + p.c.b_image_stride,
            out: lane_q.out + p.c.out_image_stride,
            element: lane_q.element + p.image_element,
            sums: lane_q.sums + p.image_sums
        };
      end
    end
  end

  always_ff @(posedge clk_i) begin
    stride_back_q <= 21'(p.c.stride_y) - 21'(p.virtual_pitch);
    image_ends_q  <= lane_q.y + 16'd1 == p.pitch;
    unique case (state_q)
      Divide: begin
        // Restoring division of v by up_y; a negative v needs none, as counting restarts at 0.
        divide_q <= divide_q - 5'd1;
        if ({rest_q, a_row_q[20]} >= 5'(p.c.up_y)) begin
          rest_q  <= 4'({rest_q, a_row_q[20]} - 5'(p.c.up_y));
          a_row_q <= {a_row_q[19:0], 1'b1};
        end else begin
          rest_q  <= {rest_q[2:0], a_row_q[20]};
          a_row_q <= {a_row_q[19:0], 1'b0};
        end
        if (divide_q == 5'd1) state_q <= KernelRow;
      end
      KernelRow:
      if (ready_i) begin
        mask_q[ky_q] <= live_o && in_map && !next_q;
        ky_q <= ky_q + 4'd1;
        v_q  <= v_q + 21'sd1;
        if (v_q == -21'sd1 || v_q + 21'sd1 == $signed(21'(p.virtual_pitch))) begin
          a_row_q <= '0;
          rest_q  <= '0;
          next_q  <= v_q != -21'sd1;
        end else if (rest_q + 4'd1 == p.c.up_y) begin
          a_row_q <= a_row_q + 21'd1;
          rest_q  <= '0;
        end else begin
          rest_q <= rest_q + 4'd1;
        end
        if (ky_q + 4'd1 == p.pass_ky) state_q <= p.c.wgrad ? ErrorRow : RowEnd;
      end
      ErrorRow: if (ready_i) state_q <= RowEnd;
      RowEnd:   if (row_taken_i) row_q <= row_q + 5'd1;
      default: ;
    endcase
    if (begin_i) row_q <= '0;
    if (begins_row) begin
      lane_q   <= moved;
      v_q      <= moved.v;
      a_row_q  <= moved.v;
      ky_q     <= '0;
      next_q   <= 1'b0;
      mask_q   <= '0;
      rest_q   <= '0;
      divide_q <= 5'd21;
      state_q  <= p.c.up_y == 4'd1 ? KernelRow : Divide;
      if (!begin_i && last_o) state_q <= Idle;
    end
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, p};
endmodule
