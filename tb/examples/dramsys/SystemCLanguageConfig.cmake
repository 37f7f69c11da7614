# What DRAMSys asks for by find_package(SystemCLanguage): Debian's SystemC comes without a CMake package.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC_LANGUAGE REQUIRED IMPORTED_TARGET GLOBAL systemc)
if(NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC_LANGUAGE)
  target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)  # as that library was built
endif()
