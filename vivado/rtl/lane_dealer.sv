/// Where each lane is. At the beginning of a pass the rows are dealt: lane l begins at flat row l * rows, that is at
/// image n, row y, with n * pitch + y = l * rows. Then each lane's place is read, moved on and written back.
module lane_dealer
  import core_pkg::*;
#(
    parameter  int unsigned Lanes    = 16,
    localparam int unsigned LaneBits = $clog2(Lanes)
) (
    input  logic                clk_i,
    input  plan_t               plan_i,
    input  logic [         3:0] ky_first_i,  ///< of the pass
    input  logic                begin_i,     ///< the next lane dealt to is the first
    input  logic                deal_i,      ///< deal to lane_i; lanes in their order, one a cycle
    input  logic [LaneBits-1:0] lane_i,
    output lane_place_t         place_o,     ///< of lane_i
    input  logic                write_i,     ///< its place now
    input  lane_place_t         place_i
);
  lane_place_t places_q[Lanes];
  lane_place_t deal_q, step;
  lane_place_t step_q[2];       // from lane to lane; [1]: if that wraps into one more image
  logic deal_wraps;
  logic [17:0] wrapped_y, rest_back_q;
  logic [20:0] rest_product_q;

  assign wrapped_y  = 18'(deal_q.y) + rest_back_q;  // if it wraps, else negative
  assign deal_wraps = !wrapped_y[17];
  assign step       = step_q[deal_wraps];
  assign place_o    = places_q[lane_i];

  always_ff @(posedge clk_i) begin
    rest_product_q <= 21'(plan_i.lane_rest) * 21'(plan_i.c.stride_y);
    rest_back_q    <= 18'(plan_i.lane_rest) - 18'(plan_i.pitch);
    step_q[0] <= '{n: 17'(plan_i.lane_images), y: plan_i.lane_rest, v: rest_product_q, a: plan_i.lane_a,
                   b: plan_i.lane_b, out: plan_i.lane_out, element: plan_i.lane_element, sums: plan_i.lane_sums};
    step_q[1] <= '{n: 17'(plan_i.lane_images) + 17'd1, y: rest_back_q[15:0],
                   v: rest_product_q - 21'(plan_i.virtual_pitch), a: plan_i.lane_a + plan_i.c.a_image_stride,
                   b: plan_i.lane_b + plan_i.c.b_image_stride, out: plan_i.lane_out + plan_i.c.out_image_stride,
                   element: plan_i.lane_element + plan_i.image_element, sums: plan_i.lane_sums + plan_i.image_sums};
    if (deal_i) begin
      deal_q <= '{n: deal_q.n + step.n, y: deal_q.y + step.y, v: deal_q.v + step.v, a: deal_q.a + step.a,
                  b: deal_q.b + step.b, out: deal_q.out + step.out, element: deal_q.element + step.element,
                  sums: deal_q.sums + step.sums};
    end
    if (begin_i) begin
      deal_q <= '{n: '0, y: '0, v: 21'(ky_first_i) - 21'(plan_i.c.pad_top), a: plan_i.c.a_addr, b: plan_i.c.b_addr,
                  out: plan_i.c.out_addr, element: '0, sums: plan_i.c.sums_addr};
    end
    if (deal_i || write_i) places_q[lane_i] <= deal_i ? deal_q : place_i;
  end

  logic unused;
  assign unused = &{1'b0, plan_i, wrapped_y};
endmodule
