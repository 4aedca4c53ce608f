# SPDX-License-Identifier: BSL-1.0
# Untried: written after vcpkg's documentation, its syntax alone is checked. Set URL and REF to yours.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://example.org/bmmc.git
  REF 0000000000000000000000000000000000000000
)
vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Dmpi=disabled -Dtests=false -Dexamples=false -Dbench=false
)
vcpkg_install_meson()
# find_package looks into share/cmake/bmmc, too; the config names the headers from there, so it stays.
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
