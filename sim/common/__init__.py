"""What every room uses: places, files, text tables. Imports nothing of the kit."""
