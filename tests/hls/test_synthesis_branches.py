"""The code that only Vitis sees (`__SYNTHESIS__`), compiled by g++ without being run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sim.devices.hls_executor import HLS, HLS_BUILDS, hls_sources, vendor_headers

# What the kernel uses of the header that comes with Vitis only.
BURST_MAXI = """#pragma once
#include <ap_int.h>
#include <cstddef>

namespace hls {
template <typename T>
class burst_maxi {
public:
    burst_maxi(T* base) : base_(base) {}
    void read_request(std::size_t, std::size_t) {}
    T read() { return base_[0]; }
    void write_request(std::size_t, std::size_t) {}
    template <int BYTES>
    void write(const T&, ap_int<BYTES>) { static_assert(8 * BYTES == T::width, "one enable a byte"); }
    void write_response() {}

private:
    T* base_;
};
}  // namespace hls
"""


# The vendor's headers for g++ refuse to be read as by Vitis, so they come before the macro.
def read_as_vitis_would(source: Path, build: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "hls_burst_maxi.h").write_text(BURST_MAXI)
    (folder / "synthesis.h").write_text("#include <ap_int.h>\n#include <hls_stream.h>\n#define __SYNTHESIS__\n")
    command = [
        "g++",
        "-std=c++14",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unknown-pragmas",
        "-Wno-unused-label",
    ]
    command += ["-isystem", str(vendor_headers()), "-isystem", str(folder), f"-I{HLS}", f"-DCPT_BUILD={build}"]
    command += ["-include", "synthesis.h", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=folder)


@pytest.mark.parametrize("build", HLS_BUILDS)
@pytest.mark.parametrize("source", hls_sources(), ids=lambda path: path.stem)
def test_source_compiles_as_vitis_sees_it(source: Path, build: str, tmp_path: Path) -> None:
    done = read_as_vitis_would(source, build, tmp_path)
    assert done.returncode == 0, done.stderr


def test_mistake_in_a_synthesis_branch_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text('#include "memory.hpp"\n#ifdef __SYNTHESIS__\nint wrong = cpt::no_such_name;\n#endif\n')
    assert "no_such_name" in read_as_vitis_would(wrong, "tiny", tmp_path).stderr


COUNT = """
#include "popcount.hpp"
#include <random>
int main() {
    std::mt19937 draw(1);
    for (int turn = 0; turn < 2000; ++turn) {
        cpt::word_t a[cpt::SLICE_GROUPS], b[cpt::SLICE_GROUPS];
        std::uint32_t wanted = 0;
        for (std::uint32_t i = 0; i < cpt::SLICE_GROUPS; ++i) {
            a[i] = turn == 0 ? 0xFFFF : cpt::word_t(draw());
            b[i] = turn < 2 ? 0xFFFF : cpt::word_t(draw());
            wanted += std::uint32_t(__builtin_popcount(a[i] & b[i]));
        }
        if (cpt::count_by_threes(a, b) != wanted) return 1;
    }
}
"""


@pytest.mark.parametrize("build", ["tiny", "zc706"])
def test_popcount_that_only_vitis_sees_counts(build: str, tmp_path: Path) -> None:
    source, program = tmp_path / "count.cpp", tmp_path / "count"
    source.write_text(COUNT)
    command = ["g++", "-std=c++14", "-O1", "-Wno-unknown-pragmas", "-isystem", str(vendor_headers()), f"-I{HLS}"]
    command += [f"-DCPT_BUILD={build}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    assert subprocess.run([str(program)], check=False, timeout=60).returncode == 0
