"""The scenarios that ship with the package, one YAML file each."""
