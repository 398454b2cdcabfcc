/// Lanes' places and the walk over a lane's rows, as the loader has them, with flat pins.
module walk_bench
  import core_pkg::*;
#(
    parameter int unsigned Lanes = 16
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        wgrad,
    input  logic [11:0] y_height,       ///< of the plan
    input  logic [11:0] a_height,
    input  logic [15:0] images,
    input  logic [ 3:0] stride_y,
    input  logic [ 3:0] up_y,
    input  logic [ 4:0] pad_top,
    input  logic [ 3:0] pass_ky,
    input  logic [ 3:0] step_rows,
    input  logic [15:0] pitch,
    input  logic [19:0] virtual_pitch,
    input  logic [15:0] lane_images,
    input  logic [15:0] lane_rest,
    input  logic [31:0] a_image_stride,
    input  logic [31:0] lane_a,
    input  logic [ 3:0] ky_first,
    input  logic        deal_begin,
    input  logic        deal,
    input  logic [ 7:0] lane,
    input  logic        walk,           ///< over the next rows of the lane
    input  logic [ 4:0] batch,
    input  logic        whole,
    input  logic        ready,
    input  logic        row_taken,
    output logic        a_valid,
    output logic [31:0] a_base,
    output logic [11:0] a_row,
    output logic        error_valid,
    output logic [16:0] error_image,
    output logic [15:0] error_row,
    output logic        row_end,
    output logic        last,
    output logic        live,
    output logic [14:0] mask
);
  plan_t plan;
  always_comb begin
    plan                  = '0;
    plan.c.wgrad          = wgrad;
    plan.c.y_height       = y_height;
    plan.c.a_height       = a_height;
    plan.c.images         = images;
    plan.c.stride_y       = stride_y;
    plan.c.up_y           = up_y;
    plan.c.pad_top        = pad_top;
    plan.pass_ky          = pass_ky;
    plan.step_rows        = step_rows;
    plan.pitch            = pitch;
    plan.virtual_pitch    = virtual_pitch;
    plan.lane_images      = lane_images;
    plan.lane_rest        = lane_rest;
    plan.c.a_image_stride = a_image_stride;
    plan.lane_a           = lane_a;
  end

  lane_place_t place, at, moved;
  lane_dealer #(.Lanes(Lanes)) u_dealer (
      .clk_i     (clk),
      .plan_i    (plan),
      .ky_first_i(ky_first),
      .begin_i   (deal_begin),
      .deal_i    (deal),
      .lane_i    (lane[$clog2(Lanes)-1:0]),
      .place_o   (place),
      .write_i   (row_end && row_taken && last),
      .place_i   (moved)
  );
  logic unused_step, unused_error;
  logic [1:0] unused_image;
  logic [4:0] unused_row;
  row_walker u_walker (
      .clk_i        (clk),
      .rst_ni       (rst_n),
      .plan_i       (plan),
      .begin_i      (walk),
      .place_i      (place),
      .batch_i      (batch),
      .whole_i      (whole),
      .row_moves_i  (1'b1),
      .ready_i      (ready),
      .step_o       (unused_step),
      .a_valid_o    (a_valid),
      .a_base_o     (a_base),
      .a_row_o      (a_row),
      .a_image_o    (unused_image),
      .error_o      (unused_error),
      .error_valid_o(error_valid),
      .row_end_o    (row_end),
      .row_taken_i  (row_taken),
      .row_o        (unused_row),
      .last_o       (last),
      .live_o       (live),
      .mask_o       (mask),
      .lane_o       (at),
      .moved_o      (moved)
  );
  assign error_image = at.n;
  assign error_row   = at.y;

  logic unused;
  assign unused = &{1'b0, unused_step, unused_error, unused_image, unused_row, at, moved, lane};
endmodule
