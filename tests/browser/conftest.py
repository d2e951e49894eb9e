"""A headless Chromium, and reports for it to open."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.browser import _rows

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "browser"
PATIENCE_MILLISECONDS = 120_000  # a busy machine is no failure
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """Chromium through Playwright; skips with the reason where one of them is absent."""
    pytest.importorskip("bokeh", reason="Bokeh is not installed: there are no pages to open")
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: nothing drives a browser"
    )
    on_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    found = os.environ.get("FASTVBENCH_CHROMIUM", on_path)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the path")
    with sync_api.sync_playwright() as playwright:
        # A container's root has no user namespace for the sandbox.
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        running = playwright.chromium.launch(executable_path=found, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where screenshots are kept, to be looked at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS


@pytest.fixture(scope="session")
def report_file(browser, tmp_path_factory) -> Path:
    """A report about answers of every kind, hostile ones among them."""
    return _rows.write_report_of(tmp_path_factory.mktemp("report"), _rows.hostile_answers())


class Opened:
    """A page, what it asked for and what it complained about."""

    def __init__(self, browser, path, **settings):
        self.context = browser.new_context(offline=True, **settings)
        self.context.set_default_timeout(PATIENCE_MILLISECONDS)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page.on("console", self._console)
        self.page.goto(path.as_uri())

    def _console(self, message):
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self):
        self.context.close()


@pytest.fixture
def opened(browser, report_file):
    """The report, opened on a desktop, its rows read."""
    held = Opened(browser, report_file, viewport={"width": 1280, "height": 900})
    held.page.wait_for_selector(".rows[data-ready]")
    yield held
    held.close()
    assert held.complaints == []
    assert held.requests == [report_file.as_uri()]


@pytest.fixture
def page(opened):
    """Its page."""
    return opened.page
