"""A report in a real browser: it opens, filters, sorts, speaks, and runs nothing but itself."""

from __future__ import annotations

import re

import pytest
from tests.browser import _rows
from tests.browser.conftest import Opened

COUNT = 400
SCREENS = {"desktop": (1280, 900), "phone": (390, 844)}


def shown(page) -> int:
    """How many rows the table says that it shows."""
    return int(page.locator(".count").inner_text().split(" of ")[0].replace(",", ""))


def first_ids(page, count: int = 5) -> list[str]:
    return page.locator(".line > .id:first-child").all_inner_texts()[:count]


def choose(page, label: str, text: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).select_option(label=text)


def test_it_opens_without_network_and_names_its_parts(page):
    assert page.title() == "LVBench"
    links = page.locator("nav.parts a").all_inner_texts()
    assert links == ["Summary", "By group", "Answers", "Diagnostics", "Rows", "Settings"]
    assert shown(page) == COUNT
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert "script-src 'sha256-" in policy


def test_status_outcome_and_group_filter_the_rows(page):
    statuses = page.get_by_role("combobox", name="Status").locator("option").all_inner_texts()
    refused = next(text for text in statuses if text.startswith("refused"))
    choose(page, "Status", refused)
    assert shown(page) == int(re.search(r"\((\d+)\)", refused).group(1)) > 0
    assert set(page.locator(".line .status").all_inner_texts()) == {"refused"}
    page.get_by_role("button", name="Reset").click()
    page.locator(".count", has_text=f"{COUNT} of {COUNT}").wait_for()
    choose(page, "Group by", "question type")
    choose(page, "Group", "reasoning")
    assert shown(page) == COUNT // 4
    choose(page, "Outcome", "full score")
    right = shown(page)
    choose(page, "Outcome", "score 0")
    assert right + shown(page) == COUNT // 4


def test_search_finds_text_id_and_nothing(page):
    page.wait_for_selector(".rows[data-texts]")
    search = page.get_by_role("searchbox")
    search.fill("Minute 20")
    texts = _rows.hostile_answers().values()
    assert shown(page) == sum("minute 20" in text for text in texts) > 0
    search.fill("video-00007")
    assert shown(page) == 10
    search.fill("no such words anywhere")
    assert shown(page) == 0
    search.fill("")
    assert shown(page) == COUNT


def test_heads_sort_up_down_and_back(page):
    head = page.get_by_role("button", name="id", exact=True)
    assert first_ids(page) == ["0", "1", "2", "3", "4"]
    head.click()
    head.click()
    assert first_ids(page)[0] == str(COUNT - 1)
    assert page.locator("[data-key=id]").get_attribute("aria-sort") == "descending"
    head.click()
    assert first_ids(page) == ["0", "1", "2", "3", "4"]
    page.get_by_role("button", name="status", exact=True).click()
    statuses = page.locator(".line .status").all_inner_texts()
    assert statuses == sorted(statuses)


def test_another_rule_set_reads_the_rows_anew(page):
    choose(page, "Rule set", "official")
    statuses = page.get_by_role("combobox", name="Status").locator("option").all_inner_texts()
    assert not any(text.startswith("refused") for text in statuses)
    choose(page, "Outcome", "rule sets differ")
    assert 0 < shown(page) < COUNT


def test_keys_move_open_and_close(page):
    page.wait_for_selector(".rows[data-texts]")
    grid = page.get_by_role("grid")
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "End", "Home", "ArrowDown"):
        page.keyboard.press(key)
    active = grid.get_attribute("aria-activedescendant")
    assert page.locator(f"#{active} > .id").first.inner_text() == "1"
    page.keyboard.press("Enter")
    detail = page.get_by_role("region", name="One row")
    assert detail.is_visible()
    assert detail.locator("h3").inner_text() == "1"
    assert detail.evaluate("element => element === document.activeElement")
    page.keyboard.press("Escape")
    assert detail.is_hidden()
    assert grid.evaluate("element => element === document.activeElement")


def test_what_was_read_is_marked(page):
    page.wait_for_selector(".rows[data-texts]")
    page.get_by_role("searchbox").fill("答え")
    assert shown(page) == 1
    assert page.locator(".line .excerpt mark").inner_text() == "C"
    page.locator(".line").click()
    detail = page.get_by_role("region", name="One row")
    assert detail.locator("pre mark").inner_text() == "C"
    assert "an answer was read" in detail.inner_text()


def test_hostile_text_is_shown_and_never_run(page):
    page.wait_for_selector(".rows[data-texts]")
    page.locator(".line").first.click()
    detail = page.get_by_role("region", name="One row")
    assert _rows.SCRIPT in detail.locator("pre").inner_text()
    assert page.evaluate("window.ran") is None
    assert page.locator("main img").count() == 0
    search = page.get_by_role("searchbox")
    search.fill("so the answer is c")
    page.locator(".line").first.click()
    text = detail.locator("pre").inner_text()
    for code in ("U+202E", "U+2066", "U+200B"):
        assert code in text
    assert not set(text) & set("\u202e\u2066\u200b")


def test_an_answer_of_ten_megabytes_is_an_excerpt(page, report_file):
    page.wait_for_selector(".rows[data-texts]")
    page.get_by_role("searchbox").fill("la la la")
    page.locator(".line").first.click()
    text = page.get_by_role("region", name="One row").locator("pre").inner_text()
    assert text.startswith("The answer is B.")
    assert len(text) <= 2000
    assert report_file.stat().st_size < 2_500_000


def test_plots_say_what_they_show(page):
    from playwright.sync_api import expect

    plots = page.locator("[data-plot]")
    assert plots.count() >= 6
    for place in range(plots.count()):
        plot = plots.nth(place)
        expect(plot).to_have_role("img")
        expect(plot).to_have_accessible_name(re.compile(r"\w{2,}"))
        expect(plot).to_have_accessible_description(re.compile(r".{40,}"))
    ledger = page.get_by_role("img", name="Where every expected row went")
    expect(ledger).to_have_accessible_description(
        re.compile(r"400 rows are expected; each is in exactly one class\.")
    )


def test_every_plot_has_its_numbers_in_a_table(page):
    figure = page.locator("figure.chart").first
    figure.locator("summary").click()
    assert figure.get_by_role("table").is_visible()
    assert "robust" in figure.get_by_role("table").inner_text()


def test_colours_switch_and_plots_follow(page):
    plot = page.locator("[data-plot]").first
    plot.locator("canvas").first.wait_for()
    ground = "getComputedStyle(document.body).backgroundColor"
    button = page.get_by_role("button", name="Colours")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    light = plot.screenshot()
    button.click()
    button.click()
    assert button.inner_text() == "Colours: dark"
    assert page.evaluate(ground) == "rgb(20, 24, 29)"
    page.wait_for_timeout(300)
    assert plot.screenshot() != light
    button.click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("name", ["desktop", "phone"])
def test_it_fits_every_screen(browser, report_file, screenshots, name):
    width, height = SCREENS[name]
    opened = Opened(
        browser,
        report_file,
        viewport={"width": width, "height": height},
        has_touch=name == "phone",
    )
    page = opened.page
    page.wait_for_selector(".rows[data-texts]")
    plots = page.locator("[data-plot]")
    for place in range(plots.count()):
        plots.nth(place).scroll_into_view_if_needed()
        plots.nth(place).locator("canvas").first.wait_for()
    page.locator(".line").nth(3).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    whole = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": width, "height": whole})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(300)  # for the plots to be painted anew
        page.screenshot(path=screenshots / f"report-{name}-{scheme}.png")
    opened.close()
    assert opened.complaints == []
    assert opened.requests == [report_file.as_uri()]


OPENED = """() => new Promise(done => {
  const frame = requestAnimationFrame;
  const ready = () => frame(() => frame(() => done(performance.now())));
  const wait = () => READY ? ready() : frame(wait);
  wait();
})"""


STEP = """() => {
  const began = performance.now();
  const form = document.querySelector(".filters");
  const set = (name, value) => {
    form.elements[name].value = value;
    form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  };
  DO;
  return performance.now() - began;
}"""
STEPS = {
    "filter": 'set("status", "refused"); set("status", "")',
    "search": 'set("search", "minute 20"); set("search", "")',
    "sort": 'document.querySelector("[data-key=status] button").click()',
}


def seconds_to_open(browser, path, ready: str) -> float:
    """From the navigation's start until everything is there and painted."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="commit")
    milliseconds = page.evaluate(OPENED.replace("READY", ready))
    context.close()
    return milliseconds / 1000


def test_a_hundred_thousand_rows_open_as_quickly_as_a_plain_table_of_a_tenth(browser, tmp_path):
    from fastvbench.report._sources import open_sources

    small = _rows.write_result(tmp_path, _rows.plain_answers(COUNT))
    view = _rows.many_rows(open_sources([small])[0].view(), 100_000)
    page = _rows.write_page_of(view, tmp_path / "page.html")
    plain = _rows.write_plain_table(view, tmp_path / "plain.html", count=10_000)
    assert page.stat().st_size < 25_000_000
    own, table = [], []
    for _ in range(2):
        own.append(seconds_to_open(browser, page, "document.querySelector('[data-texts] .line')"))
        table.append(seconds_to_open(browser, plain, "document.readyState === 'complete'"))
    ratio = min(own) / min(table)
    print(
        f"\n{page.stat().st_size / 1e6:.1f} MB, 100,000 rows: {min(own):.2f} s; "
        f"plain table of 10,000: {min(table):.2f} s; ratio {ratio:.2f}"
    )
    assert ratio < 1
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(page.as_uri())
    opened.wait_for_selector(".rows[data-texts]")
    seconds = {name: opened.evaluate(STEP.replace("DO", do)) / 1000 for name, do in STEPS.items()}
    context.close()
    print(" · ".join(f"{name} {taken:.2f} s" for name, taken in seconds.items()))
    assert sum(seconds.values()) < 2 * min(table)


@pytest.fixture(scope="module")
def two_results(browser, tmp_path_factory):
    """Two results of one benchmark, each in a folder named after its model."""
    folder = tmp_path_factory.mktemp("models")
    paths = []
    for name, shift in (("first", 0), ("second", 1)):
        (folder / name).mkdir()
        answers = _rows.plain_answers(COUNT) | {str(i): "A" for i in range(shift * 40)}
        paths.append(_rows.write_result(folder / name, answers))
    return paths


def test_several_results_are_folded_and_opened_by_their_links(browser, two_results, tmp_path):
    from fastvbench.report import write_report

    path = write_report(two_results, tmp_path / "both.html", published=True)
    held = Opened(browser, path, viewport={"width": 1280, "height": 900})
    page = held.page
    assert page.locator("nav.parts a").all_inner_texts() == ["Overview", "first", "second"]
    second = page.locator("details.result").nth(1)
    assert not second.evaluate("element => element.open")
    page.get_by_role("link", name="second").click()
    second.locator(".rows[data-texts] .line").first.wait_for()
    assert second.evaluate("element => element.open")
    second.locator("[data-plot]").first.scroll_into_view_if_needed()
    second.locator("[data-plot] canvas").first.wait_for()
    held.close()
    assert held.complaints == []
    assert held.requests == [path.as_uri(), f"{path.as_uri()}#part-3"][: len(held.requests)]


def test_a_comparison_opens_and_says_what_follows(browser, two_results, tmp_path):
    from fastvbench import compare
    from fastvbench.report import write_report

    comparison = compare(*two_results)
    comparison.write(tmp_path / "comparison.json")
    path = write_report(tmp_path / "comparison.json", tmp_path / "comparison.html")
    held = Opened(browser, path, viewport={"width": 390, "height": 844})
    held.page.locator("[data-plot] canvas").first.wait_for()
    assert comparison.words()[0] in held.page.locator("main").inner_text()
    assert held.page.evaluate("document.documentElement.scrollWidth") <= 390
    held.close()
    assert held.complaints == []
