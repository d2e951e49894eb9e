"""VideoLLaMA3's evaluation (Zhang et al., 2025, arXiv:2501.13106): one folder, one table."""

from __future__ import annotations

from typing import Any

from fastvbench.protocols._rule import AnyRule
from fastvbench.protocols._short_answer_rules import ANLS, EXACT_MATCH, RELAXED_ACCURACY
from fastvbench.protocols._suite_protocol import Setting, SuitePart, SuiteProtocol
from fastvbench.results._metrics import ACCURACY, iou_metrics

WITHOUT_SUBTITLES = Setting(
    "without_subtitle", r"(?:without|wo|w_o|w-o|non?)[-_ ]*sub", default=True
)
WITH_SUBTITLES = Setting(
    "with_subtitle", r"(?:^|[^a-z])(?:with|w)?[-_ ]*sub(?:s|title|titles)?(?![a-z])"
)
# The card's recipe is VideoLLaMA3's own reading where a benchmark has no rule set of that name.
CARD = {"paper": ("paper", "videollama3")}

_METRICS = (
    ACCURACY,
    iou_metrics(())[0],
    ANLS,
    RELAXED_ACCURACY,
    EXACT_MATCH,
)


def _column(name: str, source: str) -> AnyRule:
    return AnyRule(
        name=name,
        source=source,
        metrics=_METRICS,
        denominator="that of each benchmark's rule set",
    )


def _part(protocol: str, title: str, *names: str, **more: Any) -> SuitePart:
    """A row of the benchmark's name, which its files carry unless other names are given."""
    return SuitePart(
        **{
            "key": protocol,
            "title": title,
            "protocol": protocol,
            "names": names or (protocol,),
            "rules": CARD,
            **more,
        }
    )


def _videomme(title: str, setting: Setting) -> SuitePart:
    return _part(
        "videomme",
        title,
        key=f"videomme_{setting.subset}",
        not_names=("videommev2",),
        formats=("videomme",),
        setting=setting,
    )


PROTOCOL = SuiteProtocol(
    name="videollama3_suite",
    title="VideoLLaMA3 suite",
    citation="Zhang et al., 2025, VideoLLaMA 3: Frontier Multimodal Foundation Models for Image "
    "and Video Understanding, arXiv:2501.13106",
    version=1,
    published_size=None,
    coverage_limit=1.0,
    rules=(
        _column("robust", "each benchmark's robust: a careful reader's judgement"),
        _column(
            "paper",
            "the evaluation card: letters by exact match, short answers by exact or normalised "
            "match, intervals by mean IoU; VideoLLaMA3's own reading where a benchmark has none",
        ),
        _column("videollama3", "VideoLLaMA3, evaluation/benchmarks: what its code gives"),
    ),
    parts=(
        _part("chartqa", "ChartQA", not_names=("chartqapro",)),
        _part("docvqa", "DocVQA", not_names=("mpdocvqa",)),
        _part("mathvista", "MathVista", formats=("mathvista",)),
        _videomme("Video-MME, w/o subtitles", WITHOUT_SUBTITLES),
        _videomme("Video-MME, w/ subtitles", WITH_SUBTITLES),
        _part("mvbench", "MVBench", core=False),
        _part("mlvu", "MLVU", core=False),
        _part("lvbench", "LVBench", core=False),
        _part("tempcompass", "TempCompass", formats=("tempcompass",), core=False),
        _part(
            "charades_sta",
            "Charades-STA",
            "charades",
            not_names=("charadesego",),
            formats=("timechat",),
        ),
    ),
    notes=(
        "Benchmarks beyond the evaluation card are shown, and count, only where files are there.",
        "Video-MME files that name no setting are without subtitles, as other tools name theirs.",
    ),
    settings={
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling"
    },
)
