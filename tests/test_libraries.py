from explorer.libraries import libraries


def test_every_library_that_is_needed_is_there_once_with_its_licence():
    found = libraries()
    names = [part.name.lower() for part in found]
    assert len(set(names)) == len(names)
    assert {"python", "numpy", "scipy", "gensim", "pyside6_essentials", "shiboken6", "certifi", "ziafont"} <= set(names)
    assert not {"pytest", "numba", "ruff", "pyinstaller"} & set(names)  # what only tests and extras need
    assert [part for part in found if not (part.version and part.licence)] == []
    assert all(len(part.licence) < 80 for part in found)
