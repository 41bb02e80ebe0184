"""Keeps what Python has compiled of installed modules where `sys.pycache_prefix` leads.

Executed by our reporters at the end of a run that no role came before; what goes wrong here costs time
later and nothing else. The kept files hold the hash of their source, by which Python checks them each
time, so that neither a time nor a size decides.
"""

import importlib.machinery
import importlib.util
import marshal
import os
import sys

_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED = {"site-packages", "dist-packages"}
# Of a file that is checked by the hash of its source.
_CHECKED = (3).to_bytes(4, "little")


def _is_installed(path):
    return path.startswith(_LIBRARY) or bool(_INSTALLED & set(path.split(os.sep)))


def _own(path, source):
    """What the person's own runs have compiled of the very same source."""
    prefix, sys.pycache_prefix = sys.pycache_prefix, None
    try:
        own = importlib.util.cache_from_source(path)
    finally:
        sys.pycache_prefix = prefix
    with open(own, "rb") as file:
        kept = file.read()
    stat = os.stat(path)
    of_now = b"".join((int(word) & 0xFFFFFFFF).to_bytes(4, "little") for word in (0, stat.st_mtime, stat.st_size))
    if kept[:4] != importlib.util.MAGIC_NUMBER or kept[4:16] != of_now or stat.st_size != len(source):
        raise OSError("it is of another source")
    return kept[16:]


def _keep(spec):
    with open(spec.origin, "rb") as file:
        source = file.read()
    try:
        code = _own(spec.origin, source)
    except OSError:
        code = marshal.dumps(spec.loader.source_to_code(source, spec.origin))
    path = importlib.util.cache_from_source(spec.origin)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # A part of a file would be an error to whoever reads it.
    with open(path + ".new", "xb") as file:
        file.write(importlib.util.MAGIC_NUMBER + _CHECKED + importlib.util.source_hash(source) + code)
    os.replace(path + ".new", path)


if sys.pycache_prefix is not None:
    for _module in list(sys.modules.values()):
        try:
            _spec = _module.__spec__
            # Not one that changes what it compiles, as pytest does with its plugins.
            if type(_spec.loader) is importlib.machinery.SourceFileLoader and _is_installed(_spec.origin):
                _keep(_spec)
        except Exception:
            pass
