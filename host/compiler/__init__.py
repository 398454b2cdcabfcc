"""From layers to command lists in one planned region."""
