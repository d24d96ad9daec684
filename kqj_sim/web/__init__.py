"""The page: its scripts, and the engine compiled to WebAssembly by `tools/page/build.py`."""
