"""Where a run departs from what its prompt's stack published: allowed, and said beside a score."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastvbench.runs._options import FRAME_PIXELS

if TYPE_CHECKING:
    from fastvbench.models import GenerationSettings
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._task_plan import PublishedSettings
    from fastvbench.protocols._tasks import PromptChoice
    from fastvbench.video import FramePolicy

__all__ = ["Deviation", "deviations", "diagnostic", "exceeding"]

UNKNOWN = "not confirmed"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One setting that differs from what is published.

    Attributes:
        what: the setting.
        published: what the stack says; `UNKNOWN` where nobody could confirm what it says.
        used: what this run does.
    """

    what: str
    published: str
    used: str

    def __str__(self) -> str:
        return f"{self.what}: {self.used} (published: {self.published})"


def deviations(
    protocol: AnswerProtocol,
    gold: Gold,
    prompt: PromptChoice,
    policy: FramePolicy | None,
    settings: GenerationSettings,
    *,
    frame_pixels: int,
) -> list[Deviation]:
    """What is not as the stack of the prompt published it.

    Args:
        protocol: the benchmark.
        gold: its annotations.
        prompt: the prompt in use, whose source is the stack.
        policy: frames of a video; None for images.
        settings: how text is generated.
        frame_pixels: most pixels of a frame.
    """
    assert protocol.tasks is not None
    published = protocol.tasks.published.get(prompt.source)
    return [
        *_of_prompt(protocol, prompt),
        *_of_frames(published, policy, frame_pixels),
        *_of_generation(published, settings),
        *_of_questions(protocol, gold),
    ]


def _of_prompt(protocol: AnswerProtocol, prompt: PromptChoice) -> list[Deviation]:
    if prompt.published:
        return []
    stacks = ", ".join(dict.fromkeys(name.split(", ")[0] for name in protocol.prompts))
    return [Deviation("prompt", f"that of {stacks}" if stacks else UNKNOWN, prompt.source)]


def _of_frames(
    published: PublishedSettings | None, policy: FramePolicy | None, frame_pixels: int
) -> list[Deviation]:
    if policy is None:
        return []
    found = []
    if published is None or not published.frame_policies:
        found.append(Deviation("frames", UNKNOWN, policy.name))
    elif not any(_means(text, policy) for text in published.frame_policies):
        found.append(Deviation("frames", " or ".join(published.frame_policies), policy.name))
    most = None if published is None else published.most_frames
    if most is not None and _most_frames(policy) > most:
        found.append(Deviation("frame cap", str(most), f"{_most_frames(policy):g}"))
    if frame_pixels < FRAME_PIXELS and policy.name != "0":
        found.append(Deviation("frame size", "the model's own", f"at most {frame_pixels:,} pixels"))
    return found


def _means(text: str, policy: FramePolicy) -> bool:
    """Whether a published policy is this one; ``uniform:N`` is every way to spread N frames."""
    from fastvbench.video import parse_policy  # noqa: PLC0415 - its room loads on use

    if text.startswith("uniform:"):
        return policy.name.startswith("uniform-") and policy.name.endswith(text[len("uniform") :])
    return parse_policy(text) == policy


def _most_frames(policy: FramePolicy) -> float:
    """The most frames that a policy takes, as its name says; infinite without a cap."""
    _, _, rest = policy.name.partition("max=")
    if rest:
        return float("inf") if rest == "none" else float(rest)
    kind, _, count = policy.name.partition(":")
    return float(count) if kind.startswith(("uniform", "keyframes")) and count.isdigit() else 0.0


def _of_generation(
    published: PublishedSettings | None, settings: GenerationSettings
) -> list[Deviation]:
    used = f"{settings.temperature:g}"
    found = []
    if published is None or published.temperature is None:
        if settings.samples:
            found.append(Deviation("temperature", UNKNOWN, used))
    elif settings.temperature != published.temperature:
        found.append(Deviation("temperature", f"{published.temperature:g}", used))
    if published is not None and published.sampling is False and settings.samples:
        found.append(Deviation("sampling", "none", _sampling(settings)))
    thinking = settings.thinking_tokens
    expected = None if published is None else published.thinking
    if thinking is not None and (thinking > 0) is not expected:
        stated = UNKNOWN if expected is None else ("allowed" if expected else "none")
        found.append(Deviation("thinking", stated, f"{thinking:,} tokens"))
    return found


def _sampling(settings: GenerationSettings) -> str:
    limits = [
        f"{name} {value:g}"
        for name, value in (("top_p", settings.top_p), ("top_k", settings.top_k))
        if value is not None
    ]
    return ", ".join(["drawn", *limits, f"seed {settings.seed}"])


def _of_questions(protocol: AnswerProtocol, gold: Gold) -> list[Deviation]:
    found = []
    assert protocol.tasks is not None
    expected = protocol.tasks.option_count
    if expected is not None and gold.letters is not None:
        changed = int((gold.option_counts != expected).sum())
        if changed:
            found.append(
                Deviation("options", f"{expected} a question", f"others in {changed:,} questions")
            )
    size = protocol.published_size
    if size is not None and len(gold) != size:
        found.append(Deviation("questions", f"{size:,}", f"{len(gold):,} annotated"))
    return found


def exceeding(entry: dict[str, Any], most_tokens: int | None, used: int) -> dict[str, Any]:
    """The entry with one deviation more where rows have more visual tokens than is published."""
    if most_tokens is None or used <= most_tokens:
        return entry
    more = Deviation("visual tokens", f"at most {most_tokens:,}", f"up to {used:,}")
    found = [*(Deviation(**each) for each in entry["deviations"]), more]
    return diagnostic(found, entry["rows"])


def diagnostic(found: list[Deviation], row_count: int) -> dict[str, Any]:
    """The entry of a result's diagnostics, about so many rows."""
    return {
        "name": "protocol_deviations",
        "value": len(found),
        "definition": "settings of the run that differ from those that the prompt's stack "
        "published, or that nobody could confirm. Alarm: one that differs",
        "alarm": any(each.published != UNKNOWN for each in found),
        "says": "; ".join(map(str, found)) or "none",
        "rows": row_count,
        "deviations": [asdict(each) for each in found],
    }
