"""Where the numbers of an answer come from: routes from reports to sums of scores, the first that can."""
