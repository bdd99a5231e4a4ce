"""Commands that stand for containers and startup scripts: processes, their probes, replicas and their number."""
