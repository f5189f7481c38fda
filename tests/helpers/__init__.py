"""What tests of several folders share: `from helpers.exact import worst_ratio`."""
