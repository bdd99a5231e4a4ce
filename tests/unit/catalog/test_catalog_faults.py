"""Faults and the value that is not known."""

import copy
import pickle

from tpuserve.catalog import UNKNOWN, Fault, Unknown, all_known, known


def test_a_fault_reads_as_path_and_message() -> None:
    assert str(Fault("zone", "'x' is not a zone")) == "zone: 'x' is not a zone"


def test_a_fault_without_a_path_is_its_message() -> None:
    assert str(Fault("", "nothing given")) == "nothing given"


def test_there_is_one_unknown() -> None:
    assert Unknown() is UNKNOWN


def test_unknown_stays_itself_when_copied() -> None:
    assert copy.deepcopy(UNKNOWN) is UNKNOWN


def test_unknown_stays_itself_when_pickled() -> None:
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN


def test_unknown_is_false_and_says_what_it_is() -> None:
    assert (bool(UNKNOWN), repr(UNKNOWN)) == (False, "<unknown>")


def test_none_is_known() -> None:
    assert known(None)


def test_one_unknown_among_values_is_enough() -> None:
    assert not all_known(1, UNKNOWN)
