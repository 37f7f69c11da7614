include(GoogleTest)

# warpfold_test(<name> SOURCES … LIBRARIES …): one GoogleTest program. tests/common/test_main.cpp brings main(): Debian's
# libsystemc holds a main of its own, which would win against gtest_main's and run no test at all.
function(warpfold_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/common/test_main.cpp)
  target_link_libraries(${name} PRIVATE warpfold_flags ${ARG_LIBRARIES} GTest::gtest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES)
endfunction()
