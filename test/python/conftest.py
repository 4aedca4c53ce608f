# SPDX-License-Identifier: BSL-1.0
"""Every process runs every test. A failure on one ends them all: others may wait for this one."""
import sys

import pytest
from mpi4py import MPI


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed and MPI.COMM_WORLD.size > 1:
        print(f'process {MPI.COMM_WORLD.rank}: {item.name}\n{report.longreprtext}', file=sys.stderr,
              flush=True)
        MPI.COMM_WORLD.Abort(1)


def pytest_sessionfinish(session, exitstatus):
    """A session that found no tests, or another number of processes than asked for, has failed."""
    asked = session.config.getoption('--procs')
    if asked is not None and asked != MPI.COMM_WORLD.size:
        session.exitstatus = 1
        print(f'{MPI.COMM_WORLD.size} processes, not {asked}', file=sys.stderr)


def pytest_addoption(parser):
    parser.addoption('--procs', type=int, help='how many processes there are')
