"""The exact request body and its size: bytes, tokens, composition by origin."""
