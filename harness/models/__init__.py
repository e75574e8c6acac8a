"""Models: one protocol, and the backends that implement it.

The simulated ones follow written-down rules and read only the request body and what their constructor got:
`script` serves scripted turns, `literal` answers probes from behaviour cards, `section_summarizer` does what a
prompt's words say, `extractive_summarizer` is the floor.
"""
