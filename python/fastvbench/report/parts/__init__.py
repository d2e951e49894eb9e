"""What each part of a report shows, as charts."""
