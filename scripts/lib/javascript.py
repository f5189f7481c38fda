"""A manifest of the JavaScript in a wheel: what a browser runs on the survey page can be compared with what was released.

    python javascript.py make WHEEL OUT [KEY]       KEY: a file with 32 random bytes in hex; then OUT.sig is the signature
    python javascript.py check WHEEL MANIFEST [PUBLIC]      PUBLIC: the public key in hex

The signature is Ed25519 over the bytes of the manifest, in hex, after the public key in hex and a blank.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from zipfile import ZipFile

PAGES = "untold/serve/pages/"


def manifest(wheel: Path) -> str:
    """SHA-256 of every file that the pages are made of."""
    with ZipFile(wheel) as packed:
        names = sorted(
            name for name in packed.namelist() if name.startswith(PAGES) and name.endswith((".js", ".html", ".css"))
        )
        sums = {name.removeprefix(PAGES): hashlib.sha256(packed.read(name)).hexdigest() for name in names}
    if not any(name.endswith(".js") for name in sums):
        raise SystemExit(f"{wheel} holds no JavaScript.")
    return json.dumps({"wheel": wheel.name, "sha256": sums}, indent=1) + "\n"


def sign(text: str, key: Path) -> str:
    """The public key and the signature."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key.read_text(encoding="utf-8").strip()))
    return f"{private.public_key().public_bytes_raw().hex()} {private.sign(text.encode()).hex()}\n"


def verify(text: str, signature: str, public: str) -> bool:
    """Whether this key has signed this text."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        claimed, made = signature.split()
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(made), text.encode())
    except (ValueError, InvalidSignature):
        return False
    return claimed.lower() == public.lower()


def make(wheel: Path, out: Path, key: Path | None = None) -> int:
    """Write the manifest, and its signature if there is a key."""
    text = manifest(wheel)
    out.write_text(text, encoding="utf-8")
    if key is not None:
        out.with_name(out.name + ".sig").write_text(sign(text, key), encoding="utf-8")
    return 0


def check(wheel: Path, told: Path, public: str | None = None) -> int:
    """Say whether a wheel holds what a manifest says, and whether the manifest is signed by a key."""
    text = told.read_text(encoding="utf-8")
    if text != manifest(wheel):
        print(f"{wheel} holds other JavaScript than {told} says.", file=sys.stderr)
        return 1
    if public is not None and not verify(text, told.with_name(told.name + ".sig").read_text(encoding="utf-8"), public):
        print(f"{told} is not signed by {public}.", file=sys.stderr)
        return 1
    print(f"{wheel.name}: the JavaScript is the one of {told.name}")
    return 0


def main(act: str, wheel: str, file: str, key: str | None = None) -> int:
    """make or check."""
    if act == "make":
        return make(Path(wheel), Path(file), Path(key) if key else None)
    return check(Path(wheel), Path(file), key)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
