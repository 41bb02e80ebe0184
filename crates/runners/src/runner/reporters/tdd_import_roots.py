"""Folders of modules that are installed as they lie where they are written (`pip install -e`).

Our reporters execute it: in a checkout the same modules are to be found, and not those of the work tree.
"""

import importlib.machinery
import os
import sys
import sysconfig


def roots(first_path):
    """Those on this path, as it was before the runner changed it, and those that a finder or a link leads to."""
    paths = sysconfig.get_paths()
    installed = tuple(os.path.realpath(paths[name]) + os.sep for name in ("purelib", "platlib"))
    library = tuple(paths[name] + os.sep for name in ("stdlib", "platstdlib"))
    known = {path: None for path in first_path if not (path + os.sep).startswith(installed)}
    seen = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(name, str) or not isinstance(file, str):
            continue
        top = name.partition(".")[0]
        # A package without a file of its own may be parted among several.
        told = top if isinstance(getattr(sys.modules.get(top), "__file__", None), str) else name
        if told in seen or file.startswith(library) and not file.startswith(installed):
            continue
        seen.add(told)
        root = _root(name, os.path.realpath(file))
        if root is None or root in sys.path or (root + os.sep).startswith(installed):
            continue
        # The path alone does not lead to it, as it does not to a test that pytest imports by its file.
        if any(_finds(finder, top) for finder in list(sys.meta_path)):
            known[root] = None
    return list(known)


def hiding():
    """Files of modules that stand in the place of an installed one, or of one of Python's own, by the same name."""
    paths = sysconfig.get_paths()
    library = tuple(os.path.realpath(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    others = [path for path in sys.path if isinstance(path, str) and os.path.realpath(path).startswith(library)]
    files = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(name, str) or not isinstance(file, str) or "." in name or name == "__main__":
            continue
        if os.path.realpath(file).startswith(library):
            continue
        try:
            hidden = importlib.machinery.PathFinder.find_spec(name, others)
        except Exception:
            continue
        # A folder without a module is no package that anybody asks for.
        if hidden is not None and hidden.origin and hidden.origin != file:
            files.append(file)
    return files


def _root(name, file):
    """The folder that this module's dotted name begins in."""
    base = os.path.splitext(file)[0]
    base = os.path.dirname(base) if os.path.basename(base) == "__init__" else base
    tail = os.sep + name.replace(".", os.sep)
    return base[:-len(tail)] if base.endswith(tail) else None


def _finds(finder, name):
    try:
        return finder.find_spec(name, None) is not None
    except Exception:
        return False
