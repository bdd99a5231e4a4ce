"""What one endpoint serves: a rollout planned, carried out, foretold in previews."""
