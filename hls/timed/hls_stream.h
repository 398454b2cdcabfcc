// Timed C-simulation: hls::stream as the kernel uses it; reads and writes are recorded. Found before the vendor's.
#pragma once

#include "recorder.hpp"

#include <deque>
#include <stdexcept>

namespace hls {

template <typename Element>
class stream {
public:
    stream() : number_(cpt::timed::Recorder::one().add_stream()) {}
    explicit stream(const char*) : stream() {}
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    void declare(const char* name, std::uint32_t depth) {
        cpt::timed::Recorder::one().name_stream(number_, name, depth);
    }

    Element read() {
        if (elements_.empty()) throw std::runtime_error("a stream is read while empty");
        cpt::timed::Recorder::one().add(cpt::timed::READ, number_);
        const Element element = elements_.front();
        elements_.pop_front();
        return element;
    }

    void write(const Element& element) {
        cpt::timed::Recorder::one().add(cpt::timed::WRITE, number_);
        elements_.push_back(element);
    }

    bool empty() const { return elements_.empty(); }

private:
    std::uint32_t number_;
    std::deque<Element> elements_;
};

}  // namespace hls
