"""Where a report is made durable: log, index of who has reported, and their way into segments."""
