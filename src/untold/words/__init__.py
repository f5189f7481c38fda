"""What a plan asks of a person, in plain words: for the command line, the demo and the pages alike."""
