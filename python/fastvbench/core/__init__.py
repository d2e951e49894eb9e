"""The one door to the compiled core: intake of columns, statuses, errors."""
