"""Compiled inner loops.

Each file keeps a kernel and everything it calls; each kernel has a slow, obvious twin in scalar code.
"""
