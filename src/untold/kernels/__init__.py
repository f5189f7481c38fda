"""Loops that must be fast, compiled by numba. Each has a slow twin that gives the same output.

Each file keeps a kernel and everything it calls; each kernel has a slow, obvious twin in scalar code.
"""
