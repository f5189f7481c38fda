"""Published methods for ranges under local privacy, written from their papers' rules: what best guesses are compared with.

Each takes people as an array of codes (people, attributes) with `size` values each, a power of two, and returns tables of shares.
Reports are simulated exactly: as many people support a cell as independent reports would make them.
"""
