"""How the policy pack marks what it says, for those who read it in the engine's events."""

TWIN = "-unchecked"
"""What the name of a policy ends in that reports what a rule could not check."""
EXEMPTED = "exempted until"
"""What begins the line of a message whose violation is agreed on, with the last day and who agreed."""
