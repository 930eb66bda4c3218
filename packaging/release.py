"""List what was built: the files of dist/ with their SHA-256 sums, and the parts of the bundle.

    python packaging/release.py       after build.py and smoke_test.py (`make release` does all three)

It writes SHA256SUMS, which `sha256sum --check` reads, and a software bill of materials (CycloneDX).
"""

import hashlib
import json
import sys

import build
import inventory


def main() -> None:
    """Write the two lists and print the sums."""
    parts = build.DIST / f"{build.NAME}-{build.version()}-{sys.platform}.cdx.json"
    parts.write_text(json.dumps(inventory.bill_of_materials(build.BUNDLE), indent=1) + "\n", "utf-8")
    names = (build.NAME, build.NAME.replace("-", "_"))
    files = [
        file
        for file in sorted(build.DIST.iterdir())
        if file.is_file() and file.name.startswith(names) and build.version() in file.name
    ]
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (build.DIST / "SHA256SUMS").write_text(sums, "utf-8")
    print(sums, end="")


if __name__ == "__main__":
    main()
