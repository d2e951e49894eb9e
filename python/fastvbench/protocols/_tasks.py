"""A benchmark's rows as tasks: which file is shown, and what is asked about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.protocols._gold import ALPHABET, split_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._task_plan import TaskPlan

__all__ = ["OWN_PROMPT", "PromptChoice", "Task", "choose_prompt", "fill", "tasks_of"]

OWN_PROMPT = "fastvbench"
_PLACEHOLDER = re.compile(r"\{(question|options|query|subtitles)\}")
_WITH_SUBTITLES = "with subtitles"


@dataclass(frozen=True, slots=True)
class Task:
    """One question to a model.

    Attributes:
        id: the row's id.
        row: its place in the annotations.
        video: what it is about; tasks of one video share its frames.
        media_names: names that the video's (or image's) file may have.
        prompt: the text, in which ``{subtitles}`` may be left to fill.
        reference_image: name of an image that is shown beside the video.
        begin_seconds: where the clip begins that is asked about, None for the video's begin.
        end_seconds: where it ends, None for the video's end.
    """

    id: str
    row: int
    video: str
    media_names: tuple[str, ...]
    prompt: str
    reference_image: str | None = None
    begin_seconds: float | None = None
    end_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PromptChoice:
    """The template (or templates by category) that a run uses.

    Attributes:
        source: who published it; a file's name, or `OWN_PROMPT`.
        templates: by the value of the plan's prompt column; the one under "" serves every row.
        published: whether the protocol declares it as somebody's published prompt.
        with_subtitles: whether it has a place for subtitles.
        answer_prefix: how the model's answer begins, which is no longer in the templates.
    """

    source: str
    templates: dict[str, str]
    published: bool
    with_subtitles: bool
    answer_prefix: str | None = None


def choose_prompt(
    protocol: AnswerProtocol,
    *,
    source: str | None = None,
    rule: str | None = None,
    subtitles: bool = False,
    text: str | None = None,
) -> PromptChoice:
    """The prompt of a run.

    Args:
        protocol: the benchmark.
        source: the stack whose prompt it is, as `protocol.prompts` names it before the comma.
        rule: main rule set, whose stack's prompt is taken where `source` is None and it has one.
        subtitles: the setting in which subtitles are shown.
        text: a template of the caller's own, which `source` then names.

    Raises:
        InputError: no such prompt, or none for subtitles.
    """
    plan = _plan(protocol)
    if text is not None:
        return PromptChoice(source or "own file", {"": text}, False, "{subtitles}" in text)
    stacks = list(dict.fromkeys(name.split(", ")[0] for name in protocol.prompts))
    own = OWN_PROMPT if plan.own_prompt is not None else None
    if source is None:
        source = rule if rule in stacks else (stacks[0] if stacks else own)
    if source is None or (source not in stacks and source != own):
        raise InputError(
            f"no such prompt of {protocol.name}",
            field="prompt",
            value=source,
            expected=", ".join(stacks or [own or "a prompt of your own (--prompt-file)"]),
        )
    if source == own:
        assert plan.own_prompt is not None
        template = plan.own_prompt
        if subtitles:
            template = "Subtitles of the video:\n{subtitles}\n\n" + template
        return PromptChoice(source, {"": template}, False, subtitles)
    templates = _templates(protocol.prompts, source, subtitles=subtitles)
    if not templates:
        raise InputError(
            f"{protocol.name} has no published prompt with subtitles by {source}",
            field="prompt",
            value=source,
            expected="--prompt-file with a place for {subtitles}",
        )
    prefix = plan.answer_prefixes.get(source)
    if prefix is not None:
        templates = {kind: text.removesuffix(prefix).rstrip() for kind, text in templates.items()}
    shown = any("{subtitles}" in template for template in templates.values())
    return PromptChoice(source, templates, True, shown, prefix)


def _plan(protocol: AnswerProtocol) -> TaskPlan:
    if protocol.tasks is None:
        raise InputError(
            f"{protocol.name} cannot be run, only scored", field="protocol", value=protocol.name
        )
    return protocol.tasks


def _templates(prompts: Mapping[str, str], source: str, *, subtitles: bool) -> dict[str, str]:
    """Templates of one stack by category; "" is the one for every row."""
    templates = {}
    for name, template in prompts.items():
        stack, _, kind = name.partition(", ")
        if stack != source or (kind == _WITH_SUBTITLES) != subtitles:
            continue
        templates["" if kind == _WITH_SUBTITLES else kind] = template
    return templates


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced, once; braces in the values stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values.get(found.group(1), found.group(0)), template)


def tasks_of(
    protocol: AnswerProtocol, gold: Gold, prompt: PromptChoice, rows: Sequence[int]
) -> Iterator[Task]:
    """The tasks of some rows, in their order.

    Args:
        protocol: the benchmark.
        gold: its annotations.
        prompt: what `choose_prompt` gave.
        rows: places in the annotations.

    Raises:
        InputError: a row lacks what its template asks for.
    """
    plan = _plan(protocol)
    kinds = _kinds(plan, gold)
    columns = gold.columns
    begins, ends = columns.get("begin_seconds"), columns.get("end_seconds")
    images = columns.get(plan.image_column or "")
    for row in rows:
        if images is not None and images[row] == "":
            raise InputError(
                f"the query of id {gold.ids[row]} has an image, and nothing names its file",
                field=plan.image_column,
                expected="a file's name",
            )
        template = prompt.templates.get("")
        if template is None:
            template = _template_of_kind(prompt, kinds[row] if kinds else None, gold.ids[row])
        yield Task(
            id=gold.ids[row],
            row=row,
            video=gold.videos[row],
            media_names=_media_names(plan, gold, row),
            prompt=fill(template, _values(plan, gold, row, template)),
            reference_image=None if images is None else images[row],
            begin_seconds=None if begins is None else begins[row],
            end_seconds=None if ends is None else ends[row],
        )


def _kinds(plan: TaskPlan, gold: Gold) -> list[Any] | None:
    return None if plan.prompt_column is None else gold.columns.get(plan.prompt_column)


def _template_of_kind(prompt: PromptChoice, kind: object, ident: str) -> str:
    template = prompt.templates.get(str(kind))
    if template is None:
        raise InputError(
            f"{prompt.source} has no prompt for this kind of question (id {ident})",
            field="prompt",
            value=kind,
            expected=", ".join(prompt.templates),
        )
    return template


def _media_names(plan: TaskPlan, gold: Gold, row: int) -> tuple[str, ...]:
    named = [gold.videos[row]]
    for name in plan.media_columns:
        value = gold.columns.get(name, [None] * len(gold))[row]
        if isinstance(value, str) and value:
            named.insert(0, value)
    return tuple(dict.fromkeys(named))


def _values(plan: TaskPlan, gold: Gold, row: int, template: str) -> dict[str, str]:
    """What the placeholders of a row's template stand for."""
    values: dict[str, str] = {}
    written = gold.queries[row] if gold.queries is not None else ""
    lines = _option_lines(plan, gold, row, written)
    if "{query}" in template:
        column = gold.columns.get(plan.query_column or "")
        query = None if column is None else column[row]
        if not isinstance(query, str) or not query:
            raise InputError(
                f"the prompt shows a query, and the annotation of id {gold.ids[row]} has none",
                field=plan.query_column or "query",
                expected="the data set's own text of the query, or --prompt-file",
            )
        values["query"] = query
    if "{options}" in template:
        values["question"] = split_options(written)[0]
        values["options"] = "\n".join(lines)
    else:
        apart = lines and not split_options(written)[1]
        with_options = apart and plan.options_belong_to_question
        values["question"] = "\n".join([written, *lines]) if with_options else written
    return values


def _option_lines(plan: TaskPlan, gold: Gold, row: int, written: str) -> list[str]:
    """Lines of a row's options, as the file writes them where it does."""
    if plan.option_lines_column is not None:
        lines = gold.columns.get(plan.option_lines_column)
        if lines is not None and lines[row]:
            return [str(line) for line in lines[row]]
    stem, texts = split_options(written)
    if texts:
        return written[written.index(stem) + len(stem) :].strip().split("\n")
    options = gold.options[row] if gold.options is not None else []
    return [
        plan.option_line.format(letter=letter, option=option)
        for letter, option in zip(ALPHABET, options, strict=False)
    ]
