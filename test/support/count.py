#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Counts the tests in Meson's log (one JSON object a line) and prints "N passed, N failed".

    count.py LOG
    count.py --self-test

Whatever did not pass has failed, skipped tests too. The status is 0 if some passed and none failed.
"""
import json
import pathlib
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}


def count(lines):
    """Numbers of passed tests and names of failed ones."""
    results = [json.loads(line) for line in lines if line.strip()]
    failed = [f"{r['name']} ({r['result']})" for r in results if r['result'] not in PASSED]
    return len(results) - len(failed), failed


def report(lines):
    passed, failed = count(lines)
    for name in failed:
        print('failed:', name)
    print(f'{passed} passed, {len(failed)} failed')
    return 0 if passed and not failed else 1


def self_test():
    line = '{{"name": "a", "result": "{}"}}'.format
    cases = [([line('OK'), line('EXPECTEDFAIL')], 2, 0), ([line('OK'), line('SKIP')], 1, 1),
             ([line('FAIL'), line('TIMEOUT'), line('ERROR'), line('UNEXPECTEDPASS')], 0, 4),
             ([], 0, 0)]
    for lines, passed, failed in cases:
        found = count(lines)
        if (found[0], len(found[1])) != (passed, failed):
            print(f'self-test: {lines} gives {found}')
            return 1
    return 0 if report([]) == 1 and report([line('OK')]) == 0 and report([line('FAIL')]) == 1 else 1


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    if arguments[0] == '--self-test':
        return self_test()
    log = pathlib.Path(arguments[0])
    return report(log.read_text(encoding='utf-8').splitlines() if log.exists() else [])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
