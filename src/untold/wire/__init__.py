"""The messages between devices and collector (docs/wire.md, in code), without the network that carries them."""
