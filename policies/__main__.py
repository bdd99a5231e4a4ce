"""The policy pack's process, as the engine starts it."""

from tpuserve.policies import pack, parent  # pyright: ignore[reportMissingImports]

if __name__ == "__main__":
    parent.end_with_parent()
    pack.serve(pack.Pack())
