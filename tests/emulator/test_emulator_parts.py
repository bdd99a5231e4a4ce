"""The parts below the services: names, labels, time, pages, the store, settings."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.emulator import labels
from tpuserve.emulator.clock import LAST, InstantClock, RealClock, VirtualClock, timestamp
from tpuserve.emulator.errors import ApiError, Code, code_named, code_numbered, number
from tpuserve.emulator.names import Name, parsed, region, resolved, zone
from tpuserve.emulator.operation import Operation
from tpuserve.emulator.paging import page
from tpuserve.emulator.settings import Durations, Launch, Settings, changed, copied, delayed, read_settings
from tpuserve.emulator.store import KEPT_OPERATIONS, StateError, Store
from tpuserve.emulator.tpu.tables import ACCELERATOR_TYPES, RUNTIME_VERSIONS

PROJECTS = {"one": 11, "two": 22}
IDS = st.text("abcdefghij0123456789-", min_size=1, max_size=10)


@given(st.sampled_from(["one", "11"]), IDS, IDS, IDS)
def test_a_name_reads_as_it_is_written(project: str, location: str, collection: str, identifier: str) -> None:
    text = f"projects/{project}/locations/{location}/{collection}/{identifier}"

    assert str(parsed(text, PROJECTS)) == text.replace(f"/{project}/", "/11/", 1)


@pytest.mark.parametrize(
    "text", ["", "models/m", "projects/one", "projects/one/locations/l/models", "projects/one/locations/l//m", "/x"]
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match=r"projects/\{project\}/locations"):
        parsed(text, PROJECTS)


def test_a_name_is_of_the_collection_that_is_asked_for() -> None:
    with pytest.raises(ApiError, match=r"models/\{id\}"):
        resolved("projects/one/locations/l/endpoints/e", PROJECTS, ("models",))


@pytest.mark.parametrize("location", ["us-east5", "europe-west4", "asia-northeast1"])
def test_a_region_is_a_region(location: str) -> None:
    assert region(Name("1", location)).location == location


@pytest.mark.parametrize("location", ["us-east5-b", "us", "global", "us-east"])
def test_another_location_is_no_region(location: str) -> None:
    with pytest.raises(ApiError, match=location):
        region(Name("1", location))


@pytest.mark.parametrize("location", ["us-east5-b", "us-central1-ai1a", "us-south1-ai1b"])
def test_a_zone_is_a_zone(location: str) -> None:
    assert zone(Name("1", location)).location == location


@pytest.mark.parametrize("location", ["us-east5", "us-east5-", "us-east5-bb"])
def test_another_location_is_no_zone(location: str) -> None:
    with pytest.raises(ApiError, match=location):
        zone(Name("1", location))


@pytest.mark.parametrize("found", [{"team": "vision"}, {"a" * 63: "b" * 63}, {"größe": "klein"}, {"a-b_c": ""}])
def test_labels_are_taken(found: dict[str, str]) -> None:
    labels.checked(found)


def test_every_fault_of_the_labels_is_told_at_once() -> None:
    with pytest.raises(ApiError, match=r"65 labels.*key 'A'.*value 'B' of 'b'"):
        labels.checked({f"k{index}": "" for index in range(63)} | {"A": "", "b": "B"})


@given(st.lists(st.integers()), st.integers(1, 7))
def test_pages_hold_everything_once_in_order(items: list[int], size: int) -> None:
    found, token = [], ""
    while True:
        chosen, token = page(items, size, token)
        found += chosen
        if not token:
            break

    assert found == items


@pytest.mark.parametrize(("size", "token"), [(-1, ""), (1, "x")])
def test_a_page_that_cannot_be_is_refused(size: int, token: str) -> None:
    with pytest.raises(ApiError, match="page_"):
        page([], size, token)


async def test_sleepers_wake_in_their_order() -> None:
    clock, woken = VirtualClock(0), []

    async def sleep(seconds: float) -> None:
        await clock.until(seconds)
        woken.append((seconds, clock.now()))

    tasks = [asyncio.ensure_future(sleep(seconds)) for seconds in (3, 1, 2)]
    await clock.advance(2.5)
    early = list(woken)
    await clock.advance(1)
    await asyncio.gather(*tasks)

    assert (early, woken) == ([(1, 1), (2, 2)], [(1, 1), (2, 2), (3, 3)])


async def test_who_sleeps_again_wakes_again_in_the_same_advance() -> None:
    clock, woken = VirtualClock(0), []

    async def sleep() -> None:
        for moment in range(1, 4):
            await clock.until(moment)
            woken.append(clock.now())

    task = asyncio.ensure_future(sleep())
    await clock.advance(10)
    await task

    assert woken == [1, 2, 3]


@given(st.floats(0, 4_000_000_000))
def test_a_moment_is_kept_to_the_microsecond(moment: float) -> None:
    assert abs(timestamp(moment).ToNanoseconds() / 1e9 - moment) < 2e-6


def test_a_store_without_a_file_keeps_nothing() -> None:
    store = Store()
    store.put("counters", "a", 1)
    store.save()

    assert store.path is None


def test_what_was_not_saved_is_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.json")
    store.put("counters", "saved", 1)
    store.save()
    store.put("counters", "lost", 1)

    assert [name for name, _ in Store(store.path).items("counters")] == ["saved"]


def test_what_was_dropped_is_gone(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.json")
    store.put("counters", "a", 1)
    store.save()
    store.drop("counters", "a")
    store.save()

    assert list(Store(store.path).items("counters")) == []


def test_the_order_outlives_the_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.json")
    names = [f"n{index * 7919 % 50}" for index in range(50)]
    for name in names:
        store.put("counters", name, 1)
    store.save()

    assert [name for name, _ in Store(store.path).items("counters")] == names


def test_the_file_is_json_that_a_person_can_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.json")
    store.put("requests", "create/one", "operations/1")
    store.save()
    assert store.path is not None

    assert json.loads(store.path.read_text())["requests"] == {"create/one": "operations/1"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"colours": {"a": 1}}', '{"models": {"m": {"colour": 1}}}'])
def test_another_file_is_no_state_and_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)

    with pytest.raises(StateError, match="is no state of this emulator"):
        Store(path)
    assert path.read_text() == text


@pytest.mark.parametrize("name", ["", "file/state.json", "file/folder/state.json"])
def test_a_state_that_could_not_be_written_is_refused_before_anything_is_made(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StateError, match="cannot be written"):
        Store(tmp_path / name)


def test_finished_operations_do_not_pile_up() -> None:
    store = Store()
    for index in range(2 * KEPT_OPERATIONS + 1):
        name = f"operations/{index}"
        operation = Operation(name=name, kind="upload_model", target="t", created=0, updated=0, done=index > 0)
        store.put("operations", name, operation)
    store.save()
    left = [name for name, _ in store.items("operations")]

    assert (left[0], left[-1], len(left)) == ("operations/0", f"operations/{2 * KEPT_OPERATIONS}", KEPT_OPERATIONS + 1)


@given(st.integers(1, 18), st.integers(0, 10))
def test_an_id_has_its_digits(digits: int, seed: int) -> None:
    assert len(Store().new_id("models", seed, digits)) == digits


def test_ids_repeat_with_their_seed() -> None:
    assert Store().new_id("models", 7, 19) == Store().new_id("models", 7, 19)


def test_settings_are_read_from_json(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"durations": {"deploy_stage": 0.5}, "images": {"i": {"builtin": "unhealthy"}}}')
    expected = Settings(durations=Durations(deploy_stage=0.5), images={"i": Launch(builtin="unhealthy")})

    assert read_settings(path) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"colour": 1}', "colour"),
        ('{"images": {"i": {"command": "run"}}}', r"\$.images\[...\].command"),
        ('{"images": {"i": {}}}', "exactly one of command and builtin"),
        ('{"waiting_state": "QUEUED"}', r"\$.waiting_state"),
    ],
)
def test_settings_that_cannot_be_are_told_by_their_path(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)

    with pytest.raises(msgspec.ValidationError, match=words):
        read_settings(path)


def test_plain_objects_may_stand_for_launches() -> None:
    given = {"i": {"command": ["run"]}}

    assert copied(Settings(images=given)).images["i"] == Launch(command=["run"])  # type: ignore[arg-type]


def test_a_switch_is_set_in_place() -> None:
    settings = Settings()
    changed(settings, "concurrent_deploys", False)

    assert not settings.concurrent_deploys


def test_a_duration_is_set_in_place() -> None:
    settings = Settings()
    delayed(settings, "deploy_stage", 2)

    assert settings.durations.deploy_stage == 2.0


@pytest.mark.parametrize("code", list(Code))
def test_a_code_is_known_by_name_and_number(code: Code) -> None:
    assert code_named(code.name) is code_numbered(number(code)) is code


def test_an_accelerator_type_has_the_chips_of_its_topology() -> None:
    chips = {name: int(name.rpartition("-")[2]) for name in ACCELERATOR_TYPES}
    products = {
        name: int(found.topology.split("x")[0]) * int(found.topology.split("x")[1])
        for name, found in ACCELERATOR_TYPES.items()
    }

    assert products == chips


def test_a_runtime_is_for_a_generation_that_is_there() -> None:
    generations = {found.generation for found in ACCELERATOR_TYPES.values()} | {""}

    assert set(RUNTIME_VERSIONS.values()) <= generations


async def test_time_goes_on_to_whatever_is_waited_for_next() -> None:
    clock, woken = InstantClock(), []
    begun = clock.now()

    async def sleep(seconds: float) -> None:
        await clock.until(begun + seconds)
        woken.append((seconds, clock.now() - begun))

    await asyncio.gather(*(sleep(seconds) for seconds in (3600, 60, 7200)))

    assert [seconds for seconds, _ in woken] == [60, 3600, 7200]
    assert all(abs(passed - seconds) < 1e-3 for seconds, passed in woken)


async def test_instant_time_goes_on_for_who_comes_later() -> None:
    clock = InstantClock()
    for _ in range(3):
        before = clock.now()
        await clock.until(before + 10)

        assert clock.now() >= before + 10


async def test_instant_time_stands_still_while_nobody_waits() -> None:
    clock = InstantClock()
    before = clock.now()
    await asyncio.sleep(0.01)

    assert clock.now() == before


async def test_a_faster_clock_goes_on_faster() -> None:
    clock = RealClock(speed=3600)
    before = clock.now()
    await clock.until(before + 36)

    assert 36 <= clock.now() - before < 3600


@given(st.floats(1e9, 4e9))
def test_a_timestamp_is_never_later_than_its_moment(moment: float) -> None:
    assert timestamp(moment).ToNanoseconds() / 1e9 <= moment


@pytest.mark.parametrize("seconds", [-1, LAST, 1e300, float("nan"), float("inf")])
async def test_time_goes_neither_back_nor_beyond_the_year_9000(seconds: float) -> None:
    with pytest.raises(ValueError, match="must be 0 or more, and not lead beyond the year 9000"):
        await VirtualClock(1).advance(seconds)


async def test_instant_time_does_not_go_where_a_sleeper_waits_beyond_its_end() -> None:
    clock = InstantClock()
    before = clock.now()
    asleep = asyncio.ensure_future(clock.until(LAST + 1))
    await clock.until(before + 1)

    assert (asleep.done(), clock.now()) == (False, before + 1)
    asleep.cancel()


@pytest.mark.parametrize("moment", [2 * LAST, 1e300])
def test_moment_that_a_timestamp_cannot_say_is_the_furthest_that_it_can(moment: float) -> None:
    assert timestamp(moment).ToJsonString() == "9999-12-31T23:59:59Z"
