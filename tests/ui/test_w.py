import pytest
from explorer.document.commands import *
E1="encoder.1.self"
EDITS=[SetTokens("target", ("<start>",)),SetSwitch(E1, "scale", "none", everywhere=True),SetSwitch(E1, "heads", 3)]
def test_w(window, eye):
    for stage in window.bench.document.engine.graph.stages:
        eye.go_to(window, stage.name)
        for edit in EDITS:
            print(stage.name, edit.label, flush=True)
            window.bench.document.do(edit)
            print("g",flush=True)
            window.grab()
            print("s",flush=True)
            eye.settle(window)
            window.bench.document.undo()
            print("g",flush=True)
            window.grab()
            print("s",flush=True)
            eye.settle(window)
