# The verbs of this project; what they do is in tools/.
.DEFAULT_GOAL := help
.PHONY: help up down pulumi test check crash bench generated requests mutate lock clean
.NOTPARALLEL:

PREPARE = python=$$(tools/find-python) && exec $$python -m tools.environment

help: ## Show this
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

up: ## Bring up stack `local` against the emulator and ask it for predictions
	@$(PREPARE) up -m tools.local up

down: ## Destroy stack `local` and stop what `make up` started
	@$(PREPARE) up -m tools.local down

pulumi: ## Run the engine on stack `local`: make pulumi ARGS='preview --expect-no-changes'
	@$(PREPARE) up -m tools.local pulumi $(ARGS)

test: ## Checks, then every test; ARGS='tests/unit -k zone' for some
	@$(PREPARE) test -m tools.prove test $(ARGS)

check: ## Lint, format, types and layers
	@$(PREPARE) test -m tools.prove check

crash: ## Kill engine and plugin at every recorded boundary, go on in every way (long)
	@$(PREPARE) test -m tools.crash $(ARGS)

bench: ## Compare with a provider that does nothing; ARGS=--write for docs/measurements.md (minutes)
	@$(PREPARE) test -m tools.bench $(ARGS)

generated: ## Any two programs of a resource, 10,000 pairs over the wire; ARGS=--engine for 300 on the engine, ARGS=--policies for stacks under the policies, ARGS=--peaks for the report
	@$(PREPARE) test -m tools.generated $(ARGS)

requests: ## 10,000 requests drawn from Google's schemas, to the emulator over REST (half a minute)
	@$(PREPARE) test -m tools.requests $(ARGS)

mutate: ## Take rows, conditions and steps out of the code one at a time; name what no test noticed (an hour)
	@$(PREPARE) test -m tools.mutate $(ARGS)

lock: ## Compile requirements.txt and tests/requirements.txt again from pyproject.toml
	@$(PREPARE) test -m tools.lock

clean: ## `down`, then delete the environment and what `make up` keeps
	@tools/clean
