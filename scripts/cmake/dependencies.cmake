# Everything comes from Debian's packages (scripts/setup, for tests scripts/setup test); the README says why each one.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(Boost REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
if(WARPFOLD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

# Debian's libsystemc is built as C++17 and puts its language level into a symbol name, so a C++20 program fails to
# link with "undefined reference to sc_api_version_2_3_4_cxx202002L". Saying which level the library has, for every
# object that includes <systemc>, is the documented cure.
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
if(NOT SYSTEMC_VERSION VERSION_EQUAL "2.3.4")
  message(FATAL_ERROR "SystemC ${SYSTEMC_VERSION} found, 2.3.4 (Debian 12's libsystemc-dev) needed")
endif()
add_library(warpfold_systemc INTERFACE)
target_link_libraries(warpfold_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(warpfold_systemc INTERFACE SC_CPLUSPLUS=201703L)
get_target_property(systemc_includes PkgConfig::SYSTEMC INTERFACE_INCLUDE_DIRECTORIES)
if(systemc_includes)
  target_include_directories(warpfold_systemc SYSTEM INTERFACE ${systemc_includes})
endif()
