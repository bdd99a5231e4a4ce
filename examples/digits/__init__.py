"""A model server for hand-written digits in JAX: the same code on CPU and on TPU, answering Vertex AI's contract."""
