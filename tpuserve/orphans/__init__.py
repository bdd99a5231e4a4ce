"""What carries a stack's owner id at Google and is in none of its states: found, told, and taken away.

Pure: `names`, `state` (what a stack export knows), `finding` (what is left over). Edges: `search` (asks Google),
`removal` (deletes), `table` (prints). The command is `tpuserve orphans`.
"""

from tpuserve.orphans.finding import Findings, Kind, Orphan, orphans
from tpuserve.orphans.names import Name
from tpuserve.orphans.state import State, StateError, read_state

__all__ = ["Findings", "Kind", "Name", "Orphan", "State", "StateError", "orphans", "read_state"]
