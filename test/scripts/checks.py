# SPDX-License-Identifier: BSL-1.0
"""What the scripts that check a tree share: a self-test by small trees, and the report."""
import pathlib
import tempfile


def write_tree(root, files):
    """Writes {name: text} below a folder."""
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


def self_test(sound, faults, complaints):
    """Whether complaints(root) is silent on the sound tree, faults[None], and says what it should of
    each fault, once: {what it says: files that are other}. The status for the shell."""
    failed = 0
    for expected, fault in faults.items():
        with tempfile.TemporaryDirectory() as directory:
            write_tree(directory, sound | fault)
            found = list(complaints(pathlib.Path(directory)))
        if len(found) != (expected is not None) or (expected and expected not in found[0]):
            print(f'self-test: expected {expected}, found {found}')
            failed = 1
    return failed


def report(complaints):
    """Prints complaints; the status for the shell."""
    found = list(complaints)
    print('\n'.join(found))
    return 1 if found else 0
