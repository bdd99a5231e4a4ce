"""The console in a real browser: nothing runs over the edge, everything can be read, nothing is complained of.

They need chromium: `apt-get install chromium` on Debian.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.browser import CHROMIUM, Page, browser
from tests.emulator.google import ZONE, Google, google
from tpuserve.emulator import Emulator, Settings

pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on PATH"),
    pytest.mark.unmet_faults,  # they are there to be seen
]
QUOTAS = {"TPUV6EPerProjectPerZoneForTPUAPI": {"us-east5-b": 48}}
LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]

# Of each text on the page the contrast between its colour and what is behind it, by WCAG 2.2, 1.4.3.
CONTRAST = """
(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let found = element; found; found = found.parentElement) {
      const color = getComputedStyle(found).backgroundColor;
      if ((numbers(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const luminance = (color) => {
    const [r, g, b] = numbers(color).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest("option")) continue;
    found.push([element.textContent, ratio(getComputedStyle(element).color, behind(element))]);
  }
  return found;
})()
"""
OVER_THE_EDGE = """
[...document.querySelectorAll("body *")]
  .filter((element) => !element.closest(".unseen, thead, svg"))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => element.outerHTML.slice(0, 80))
"""
NAMELESS = """
[...document.querySelectorAll("button, input:not([type=hidden]), select, a, svg, progress")]
  .filter((element) => !(element.ariaLabel || element.labels?.[0]?.textContent.trim() || element.textContent.trim()))
  .map((element) => element.outerHTML.slice(0, 80))
"""


def fill(cloud: Google) -> None:
    """Something of everything that the page shows, with names as long as they may be."""
    cloud.active("p" * 40)
    cloud.active("suspended", params={"node_count": 2})
    cloud.control.preempt("suspended")
    endpoint, model, first = cloud.serving()
    cloud.deploy(endpoint, model, split={"0": 20, first: 80}, display_name="d" * 128)
    cloud.endpoint("e" * 63)
    cloud.control.fail("GetModel", "UNAVAILABLE", times=3)
    cloud.control.fail_operation("upload_model", "RESOURCE_EXHAUSTED", "m" * 200)
    cloud.wait(cloud.begin_upload("other"))
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(endpoint, model)


@pytest.fixture(scope="module")
def console() -> Iterator[tuple[Google, str]]:
    with Emulator(Settings(quotas=QUOTAS), console_port=0).running() as emulator, google(emulator) as cloud:
        fill(cloud)
        yield cloud, emulator.console


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


def opened(tab: Page, console: tuple[Google, str], width: int = 1280, scheme: str = "light") -> Page:
    """The page, once it is alive."""
    tab.open(console[1], width, scheme)
    until(tab, "document.getElementById('live').textContent === 'live'")
    return tab


def until(tab: Page, condition: str) -> None:
    """Waits in the page until a condition holds, ten seconds at most."""
    script = f"""new Promise((done) => {{
      const end = performance.now() + 10000;
      const look = () => {{
        if ({condition}) done(true);
        else if (performance.now() > end) done(false);
        else requestAnimationFrame(look);
      }};
      look();
    }})"""
    assert tab.run(script), f"never: {condition}"


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_nothing_runs_over_the_edge(tab: Page, console: tuple[Google, str], width: int, scheme: str) -> None:
    page = opened(tab, console, width, scheme)

    assert (page.run("document.documentElement.scrollWidth"), page.run(OVER_THE_EDGE)) == (width, [])


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_text_has_a_contrast_of_at_least_4_5(
    tab: Page, console: tuple[Google, str], width: int, scheme: str
) -> None:
    found: list[tuple[str, float]] = opened(tab, console, width, scheme).run(CONTRAST)

    assert len(found) > 100
    assert [row for row in found if row[1] < 4.5] == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_browser_has_nothing_to_complain_of(
    tab: Page, console: tuple[Google, str], width: int, scheme: str
) -> None:
    assert opened(tab, console, width, scheme).said == []


def test_every_control_and_picture_has_a_name(tab: Page, console: tuple[Google, str]) -> None:
    assert opened(tab, console).run(NAMELESS) == []


def test_ids_are_of_one_element_each(tab: Page, console: tuple[Google, str]) -> None:
    ids: list[str] = opened(tab, console).run("[...document.querySelectorAll('[id]')].map((found) => found.id)")

    assert sorted(ids) == sorted(set(ids))


def test_a_bar_is_as_long_as_the_share_of_traffic(tab: Page, console: tuple[Google, str]) -> None:
    script = """[...document.querySelector("#endpoints svg").children].map((part) =>
      Math.round(100 * part.getBoundingClientRect().width / part.parentElement.getBoundingClientRect().width))"""

    assert opened(tab, console).run(script) == [80, 20]


def test_what_happens_is_shown_without_a_reload(tab: Page, console: tuple[Google, str]) -> None:
    page, cloud = opened(tab, console), console[0]
    page.run("window.kept = true")
    cloud.control.fail("ListModels", "ABORTED")

    until(page, "document.getElementById('faults').textContent.includes('ListModels once ABORTED')")
    assert page.run("window.kept") is True


def test_a_change_leaves_the_focus_where_it_is(tab: Page, console: tuple[Google, str]) -> None:
    page, cloud = opened(tab, console), console[0]
    page.run("document.querySelector('#faults button').focus()")
    before = page.run("document.activeElement.id")
    cloud.control.fail("GetNode", "ABORTED")
    until(page, "document.getElementById('faults').textContent.includes('GetNode')")

    assert before == page.run("document.activeElement.id") != ""


def pressed(page: Page, button: str) -> None:
    """Presses the button of that label, and waits for the page that follows."""
    page.forget()
    page.run(f"""[...document.querySelectorAll("button")]
      .find((found) => (found.ariaLabel || found.textContent) === "{button}").click()""")
    page.until_event("Page.loadEventFired")


def switched_on(cloud: Google) -> list[tuple[Any, ...]]:
    return [(rule["name"], rule["code"], rule["times"]) for rule in cloud.control.rules()]


def test_a_fault_is_switched_on_by_its_form(tab: Page, console: tuple[Google, str]) -> None:
    page, cloud = opened(tab, console), console[0]
    page.run("""(() => {
      const form = document.querySelector("form[action='/control/fail']");
      form.elements.name.value = "GetEndpoint";
      form.elements.code.value = "INTERNAL"; form.elements.times.value = 2;
    })()""")
    pressed(page, "Fail calls")

    assert ("GetEndpoint", "INTERNAL", 2) in switched_on(cloud)


def test_a_collection_is_preempted_by_its_button(tab: Page, console: tuple[Google, str]) -> None:
    cloud = console[0]
    cloud.active("doomed", params={"node_count": 2}, node={"accelerator_type": "v6e-4"})
    page = opened(tab, console)
    pressed(page, "Preempt doomed")

    assert cloud.tpu.get_queued_resource(name=f"{ZONE}/queuedResources/doomed").state.state.name == "SUSPENDED"


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_an_empty_emulator_is_shown_as_well(tab: Page, tmp_path: Path, width: int, scheme: str) -> None:
    with Emulator(Settings(), console_port=0).running() as emulator:
        tab.open(emulator.console, width, scheme)
        shown = tab.run("document.querySelector('main').innerText")
        tab.picture(tmp_path / "empty.png")

    assert ("No endpoint." in shown, "No request yet." in shown) == (True, True)
