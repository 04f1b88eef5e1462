"""Counts the public symbols of a module's symbol graphs, and fails when one has no comment."""
import json
import pathlib
import sys


def undocumented(graph):
    """Names of the symbols that are written in the sources and have no comment of their own."""
    inherited = {
        relation["source"]
        for relation in graph["relationships"]
        if "sourceOrigin" in relation
    }
    for symbol in graph["symbols"]:
        kind = symbol["kind"]["identifier"]
        if "docComment" in symbol or kind.endswith(".extension"):
            continue
        # What the compiler makes, or a protocol's comment covers, has no line of its own.
        if "location" not in symbol or symbol["identifier"]["precise"] in inherited:
            continue
        yield ".".join(symbol["pathComponents"])


def main(folder):
    symbols, missing = 0, []
    for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(path.read_text())
        symbols += len(graph["symbols"])
        missing += undocumented(graph)
    print(f"{symbols} public symbols" + (f", without a comment: {sorted(missing)}" if missing else ""))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
