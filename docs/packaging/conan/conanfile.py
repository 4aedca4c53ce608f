# SPDX-License-Identifier: BSL-1.0
# Untried: written after Conan 2's documentation, its syntax alone is checked. Put it beside meson.build.

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class BmmcConan(ConanFile):
    name = "bmmc"
    version = "0.1.0"
    license = "BSL-1.0"
    description = "Permutations of arrays distributed over MPI processes"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True
    package_type = "header-library"
    options = {"boost": [True, False]}
    default_options = {"boost": False}

    def requirements(self):
        if self.options.boost:
            self.requires("boost/[>=1.74]", options={"without_mpi": False})

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*", os.path.join(self.source_folder, "include"),
             os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_target_name", "bmmc::planning")
