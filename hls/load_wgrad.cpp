// Load, WGRAD: slices of K, which runs over the pixels of the output maps, as each tap sees them.
#include "load.hpp"

namespace cpt {

/// A pixel of the output map, which K runs over.
struct Pixel {
    std::uint32_t image;
    std::uint32_t y;
    std::uint32_t x;
};

/// A map of one block as a tap sees it: pixel (y, x) is the element (y * step_y + dy, x * step_x + dx), which is in the
/// map from x = first_x on and before end_x.
struct View {
    address_t address;
    std::uint32_t image_stride;
    std::uint32_t bits;
    std::int32_t height;
    std::uint32_t width;
    std::uint32_t step_y;
    std::uint32_t step_x;
    std::int32_t dy;
    std::int32_t dx;
    std::uint32_t first_x;
    std::uint32_t end_x;
    std::uint32_t target;
};

/// Takes beats until another run can be asked for.
static Flight& make_room(Flight& flight, port_t& loads, hls::stream<words_t>& beats) {
    make_room_beats: while (flight.full()) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=16
        flight.take(loads, beats);
    }
    return flight;
}

/// The elements of `count` pixels of one output row, all planes; zeros for those outside the map.
static void load_piece(
    const View& view, const Pixel& pixel, std::uint32_t at, std::uint32_t count, bool beyond, Flight& flight,
    port_t& loads, hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    const std::int32_t row = std::int32_t(pixel.y * view.step_y) + view.dy;
    const bool row_inside = !beyond && row >= 0 && row < view.height;
    const std::uint32_t before = pixel.x < view.first_x ? view.first_x - pixel.x : 0;
    const std::uint32_t lead = row_inside ? min_of(count, before) : count;
    const std::uint32_t x = pixel.x + lead;
    const std::uint32_t words = x < view.end_x ? min_of(count - lead, view.end_x - x) : 0;
    for (std::uint32_t plane = 0; plane < view.bits; ++plane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        const std::uint32_t destination = plane * SLICE_PIXELS + at;
        if (lead > 0) make_room(flight, loads, beats).ask_zeros(runs, view.target, destination, lead);
        if (words > 0) {
            const std::uint32_t column = std::uint32_t(std::int32_t(x * view.step_x) + view.dx);
            const std::uint64_t index = (std::uint64_t(row) * view.bits + plane) * view.width + column;
            const address_t address = view.address + std::uint64_t(pixel.image) * view.image_stride + 2 * index;
            make_room(flight, loads, beats)
                .ask(loads, runs, address, view.target, destination + lead, words, view.step_x);
        }
        const std::uint32_t behind = count - lead - words;
        if (behind > 0) {
            make_room(flight, loads, beats).ask_zeros(runs, view.target, destination + lead + words, behind);
        }
    }
}

/// One slice of K, from pixel `start` on, row piece by row piece. Returns the pixel behind the slice.
static Pixel load_slice(
    const Command& c, const View& view, const Pixel& start, Flight& flight, port_t& loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats) {
    Pixel pixel = start;
    std::uint32_t count = 0;
    for (std::uint32_t at = 0; at < SLICE_PIXELS; at += count) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=144
        const bool beyond = pixel.image == c.images;
        count = beyond ? SLICE_PIXELS - at : min_of(SLICE_PIXELS - at, c.y_width - pixel.x);
        load_piece(view, pixel, at, count, beyond, flight, loads, runs, beats);
        if (beyond) continue;
        pixel.x += count;
        if (pixel.x < c.y_width) continue;
        pixel.x = 0;
        if (++pixel.y < c.y_height) continue;
        pixel.y = 0;
        ++pixel.image;
    }
    return pixel;
}

static View error_view(const Command& c, const Job& job, address_t base) {
    const address_t address = base + c.b_addr + std::uint64_t(job.tile) * c.b_block_stride;
    return View{address, c.b_image_stride, c.b_bits, std::int32_t(c.y_height), c.y_width,
                1, 1, 0, 0, 0, c.y_width, TO_COLUMNS};
}

static View input_view(
    const Command& c, const Plan& plan, const Axis& axis, const Unit& unit, std::uint32_t target, address_t base) {
    const address_t address = base + c.a_addr + std::uint64_t(unit.block) * c.a_block_stride;
    std::uint32_t ky = 0, kx = unit.tap;
    for (; kx >= c.kernel_w; kx -= c.kernel_w) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=14
        ++ky;
    }
    // dx is `column.index` strides and a phase; so is the map's width.
    const Spot column = moved(plan.first_tap, axis.distances[kx], c.stride_x);
    const std::int32_t end = std::int32_t(plan.phase_width) - column.index + (column.phase < plan.odd_columns ? 1 : 0);
    return View{address, c.a_image_stride, c.a_bits, std::int32_t(c.a_height), c.a_width, c.stride_y, c.stride_x,
                std::int32_t(ky) - std::int32_t(c.pad_top), std::int32_t(kx) - std::int32_t(c.pad_left),
                std::uint32_t(column.index < 0 ? -column.index : 0), std::uint32_t(end < 0 ? 0 : end), target};
}

void load_wgrad(
    const Command& command, const Plan& plan, const Job& job, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    static Pixel pixel;   // where the next job goes on
    static Axis axis;     // of columns of A, in strides
    if (job.starts_command()) axis = make_axis(command.stride_x, 1, command.pad_left, command.a_width);
    if (job.chunk == 0) pixel = Pixel{0, 0, 0};
    const std::uint32_t units = unit_count(plan, job);
    const std::uint32_t slices = job_slices(command, plan, job);
    Flight flight;
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        const Pixel behind = load_slice(command, error_view(command, job, base), pixel, flight, loads, runs, beats);
        for (std::uint32_t unit = 0; unit < units; ++unit) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            const View view = input_view(command, plan, axis, unit_after(job.unit, unit, plan.area), unit, base);
            load_slice(command, view, pixel, flight, loads, runs, beats);
        }
        pixel = behind;
    }
    take_last_beats: while (!flight.empty()) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=64
        flight.take(loads, beats);
    }
}

}  // namespace cpt
