"""What no test would miss: rows, conditions and steps are taken out of the code one at a time, and the tests run."""
