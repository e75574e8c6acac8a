"""The guidelines that ship with the package, one Markdown file each."""
