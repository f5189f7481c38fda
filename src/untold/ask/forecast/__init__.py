"""What an error will be: before anything is collected, from the plan alone; afterwards, from the reports that are there."""
