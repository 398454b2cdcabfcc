"""Reports as csynth writes them, as far as they are read, made by hand: no Vitis was at hand."""

from __future__ import annotations

from collections.abc import Mapping

AREA = {"BRAM_18K": (300, 1090), "DSP": (850, 900), "FF": (90_000, 437_200), "LUT": (200_000, 218_600)}


def report_of(intervals: Mapping[str, int], area: Mapping[str, tuple[int, int]] | None = None) -> str:
    """The first loop in the top function, the others in modules of their own, each inside a loop without an II."""
    loops = [
        f"<{name}><Name>{name}</Name><TripCount>9</TripCount><PipelineII>{interval}</PipelineII>"
        f"<PipelineDepth>4</PipelineDepth></{name}>"
        for name, interval in intervals.items()
    ]
    modules = "".join(
        f"<Module><Name>module_{number}</Name><PerformanceEstimates><SummaryOfLoopLatency><outer><Name>outer</Name>"
        f"<TripCount>2</TripCount>{loop}</outer></SummaryOfLoopLatency></PerformanceEstimates></Module>"
        for number, loop in enumerate(loops[1:])
    )
    used, there = (
        "".join(f"<{name}>{values[part]}</{name}>" for name, values in (area or AREA).items()) for part in (0, 1)
    )
    return (
        "<profile><UserAssignments><Part>xc7z045-ffg900-2</Part><TopModelName>cpt_kernel</TopModelName>"
        "<TargetClockPeriod>5.00</TargetClockPeriod></UserAssignments><PerformanceEstimates><SummaryOfTimingAnalysis>"
        "<EstimatedClockPeriod>4.321</EstimatedClockPeriod></SummaryOfTimingAnalysis><SummaryOfLoopLatency>"
        f"{''.join(loops[:1])}</SummaryOfLoopLatency></PerformanceEstimates><AreaEstimates><Resources>{used}</Resources>"
        f"<AvailableResources>{there}</AvailableResources></AreaEstimates>"
        f"<ModuleInformation>{modules}</ModuleInformation></profile>"
    )
