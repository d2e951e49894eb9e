"""VideoLLaMA3's evaluation (Zhang et al., 2025, arXiv:2501.13106): one folder, one table."""

from __future__ import annotations

from fastvbench.protocols._rule import AnyRule
from fastvbench.protocols._short_answer_rules import ANLS, EXACT_MATCH, RELAXED_ACCURACY
from fastvbench.protocols._suite_protocol import Setting, SuitePart, SuiteProtocol
from fastvbench.results._metrics import ACCURACY, Metric

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
    Metric("mean_iou", "mIoU %", unit="iou"),
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


def _videomme(key: str, title: str, setting: Setting) -> SuitePart:
    return SuitePart(
        key=key,
        title=title,
        protocol="videomme",
        names=("videomme",),
        not_names=("videommev2",),
        formats=("videomme",),
        rules=CARD,
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
        _videomme("videomme_without_subtitle", "Video-MME, w/o subtitles", WITHOUT_SUBTITLES),
        _videomme("videomme_with_subtitle", "Video-MME, w/ subtitles", WITH_SUBTITLES),
        SuitePart(
            key="lvbench",
            title="LVBench",
            protocol="lvbench",
            names=("lvbench",),
            rules=CARD,
            core=False,
        ),
        SuitePart(
            key="charades_sta",
            title="Charades-STA",
            protocol="charades_sta",
            names=("charades",),
            not_names=("charadesego",),
            formats=("timechat",),
            rules=CARD,
        ),
        SuitePart(
            key="docvqa",
            title="DocVQA",
            protocol="docvqa",
            names=("docvqa",),
            not_names=("mpdocvqa",),
        ),
        SuitePart(
            key="chartqa",
            title="ChartQA",
            protocol="chartqa",
            names=("chartqa",),
            not_names=("chartqapro",),
        ),
        SuitePart(
            key="mathvista",
            title="MathVista",
            protocol="mathvista",
            names=("mathvista",),
            formats=("mathvista",),
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
