"""The commands of the command line, one small file each: a function from arguments to an exit code."""
