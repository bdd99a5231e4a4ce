"""How many replicas a rate of requests asks for. The rule is the emulator's own; docs/emulator.md says so."""

import math
from collections import deque

METRIC = "aiplatform.googleapis.com/prediction/online/request_count"  # AutoscalingMetricSpec.metric_name
PERIOD = 15.0  # seconds between two looks
WINDOW = 60.0  # seconds whose requests count, for the target is a number a minute
STEADY = 300.0  # seconds that fewer replicas must have been enough before some go


class Rate:
    """The requests of the last minute, and what they asked for in the last five."""

    def __init__(self) -> None:
        self._moments: deque[float] = deque()
        self._asked: deque[tuple[float, int]] = deque()

    def count(self, now: float) -> None:
        self._moments.append(now)
        self._forget(now)

    def wanted(self, now: float, target: int, minimum: int, maximum: int) -> int:
        """The replicas that should run now: more at once, fewer only after they were enough for a while."""
        self._forget(now)
        asked = math.ceil(len(self._moments) / target)
        self._asked.append((now, asked))
        while self._asked and self._asked[0][0] <= now - STEADY:
            self._asked.popleft()
        return min(max(minimum, *(found for _, found in self._asked)), maximum)

    def _forget(self, now: float) -> None:
        while self._moments and self._moments[0] <= now - WINDOW:
            self._moments.popleft()
