include(GoogleTest)

# main() of every test program, compiled once: Debian's libsystemc holds a main of its own, which would win against
# gtest_main's and run no test at all.
add_library(warpfold_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/common/test_main.cpp)
target_link_libraries(warpfold_test_main PRIVATE warpfold_flags GTest::gtest)

# warpfold_test(<name> SOURCES … LIBRARIES …): one GoogleTest program.
function(warpfold_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:warpfold_test_main>)
  target_link_libraries(${name} PRIVATE warpfold_flags ${ARG_LIBRARIES} GTest::gtest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
    PROPERTIES ENVIRONMENT WARPFOLD_CACHE=${WARPFOLD_TEST_CACHE})
endfunction()

# meet_cache(<test>…): tests of other kinds that ask for bundled programs, too, find them where those do.
function(meet_cache)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT WARPFOLD_CACHE=${WARPFOLD_TEST_CACHE})
endfunction()
