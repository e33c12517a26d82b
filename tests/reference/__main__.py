"""``python -m tests.reference`` writes what is generated from the code: parts of the documents and one declaration."""

from tests.reference.files import stale

if __name__ == "__main__":
    for path, text in stale().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
