"""Vertex AI: google.cloud.aiplatform.v1, the methods about models, endpoints, deployments and predictions."""
