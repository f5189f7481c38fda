"""What goes over the wire between devices and collector, and nothing of how it travels: docs/wire.md, in code."""
