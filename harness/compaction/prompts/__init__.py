"""Summarizer prompts that ship with the package, as Markdown files."""
