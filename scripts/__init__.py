"""The `cpt` command and the jobs behind its sub-commands."""
