# SPDX-License-Identifier: BSL-1.0
# Untried: written after Spack's documentation, its syntax alone is checked. `git` is yours to set.

from spack.package import *


class Bmmc(MesonPackage):
    """Permutations of arrays distributed over MPI processes, by index maps affine over GF(2)."""

    git = "https://example.org/bmmc.git"
    license("BSL-1.0")

    version("main", branch="main")

    variant("boost", default=True, description="Elements by Boost.MPI and Boost.Serialization")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("mpi")
    depends_on("boost+mpi+serialization", when="+boost")

    conflicts("%gcc@:11", msg="bmmc needs C++20: g++ 12 or newer")
    conflicts("%clang@:15", msg="bmmc needs C++20: clang 16 or newer")

    def meson_args(self):
        args = ["-Dtests=false", "-Dexamples=false", "-Dbench=false"]
        args.append("-Dmpi=" + ("enabled" if self.spec.satisfies("+boost") else "disabled"))
        return args
