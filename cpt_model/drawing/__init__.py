"""What pages, tables and plots share."""
