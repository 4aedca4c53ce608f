#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs a program on simulated processes (SimGrid SMPI), under its checks.

    run.py SMPICXX SMPIRUN HEADERS SOURCE PROCS MACHINE
    run.py --self-test SMPICXX SMPIRUN

MACHINE is one of MACHINES below. Collectives must match (pedantic), no send may rely on a buffer of
MPI's (each waits for its receiver), a deadlock is found at once, and no MPI handle may be left but
the duplicate of MPI_COMM_WORLD and the communicator of its node, each with its group, one per
process, which live as long as MPI does.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

PLATFORM = '''<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="all" prefix="host-" suffix="" radical="0-{last}" speed="1Gf" bw="1GBps" lat="5us"
           {topology}/>
</platform>
'''
# All on one switch; or 16 on a switch, every switch on each of 8 others (two levels).
MACHINES = {'switch': '',
            'fat-tree': 'topology="FAT_TREE" topo_parameters="2;16,{switches};1,8;1,1"'}
DEADLOCK = '''
#include <mpi.h>
#include <cstdio>
int main(int argc, char** argv) {
  int rank, out = 0, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Send(&out, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);  // waits for a receive that comes later
  MPI_Recv(&in, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) std::puts("every element has its place");
  MPI_Finalize();
}
'''


def fault(smpicxx, smpirun, flags, source, procs, machine='switch'):
    """What is wrong; an empty text where all is well."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        topology = MACHINES[machine].format(switches=procs // 16)
        (work / 'platform.xml').write_text(PLATFORM.format(last=procs - 1, topology=topology))
        (work / 'hosts').write_text(''.join(f'host-{k}\n' for k in range(procs)))
        # Simulated processes live in one real one. Each has its own copy of static objects, except
        # those that the linker makes unique, as it does in inline functions.
        build = subprocess.run([smpicxx, '-std=c++20', '-O1', '-fno-gnu-unique', *flags, source, '-o',
                                work / 'program', '-lboost_serialization'],
                               capture_output=True, text=True, check=False)
        if build.returncode != 0:
            return build.stderr
        command = [smpirun, '-np', str(procs), '-platform', work / 'platform.xml', '-hostfile',
                   work / 'hosts', '--cfg=smpi/simulate-computation:no', '--cfg=smpi/pedantic:true',
                   '--cfg=smpi/send-is-detached-thresh:0', '--cfg=smpi/list-leaks:10',
                   work / 'program']
        job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
        try:
            output, _ = job.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)  # smpirun is a script: what it started must end too
            return 'it ran for more than 240 s\n' + job.communicate()[0]
    leaked = {kind: int(count) for count, kind in
              re.findall(r'(\d+) leaked handles? of type (\w+)', output)}
    bad_leaks = {kind: count for kind, count in leaked.items()
                 if kind not in ('MPI_Comm', 'MPI_Group') or count not in (procs, 2 * procs)}
    if 'eadlock' in output or 'Stalling' in output or bad_leaks or job.returncode != 0 or \
            'every element has its place' not in output:
        return output
    return ''


def main(arguments):
    if arguments[0] == '--self-test':
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / 'deadlock.cpp'
            source.write_text(DEADLOCK)
            found = fault(*arguments[1:], [], source, 2)
        print(found)
        return 0 if 'eadlock' in found or 'Stalling' in found else 1
    smpicxx, smpirun, headers, source, procs, machine = arguments
    found = fault(smpicxx, smpirun, ['-I' + headers], source, int(procs), machine)
    print(found or 'all is well')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
