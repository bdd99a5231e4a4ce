"""The policy pack: rules on what a stack may declare, for our components and for raw resources alike."""
