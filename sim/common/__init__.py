"""What every package uses: places, files, numbers, text tables. It imports nothing else of the kit."""
