# main() of every test program, compiled once: Debian's libsystemc holds a main of its own, which would win against
# gtest_main's and run no test at all.
add_library(warpfold_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/common/test_main.cpp)
target_link_libraries(warpfold_test_main PRIVATE warpfold_flags GTest::gtest)

# warpfold_tests(<name> [SOURCES <file>…] [WITHOUT <file>…] [LIBRARIES <library>…]): one GoogleTest program of the test
# files in this folder and below, or of SOURCES. Each of its files is a test of ctest, named by its place: tests/a/test_b.cpp
# is a/b. A file's cases run in one process, so that what they share is made once; those of a SLOW file in eight, a/b.0 to
# a/b.7, which run beside others.
function(warpfold_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;WITHOUT;SLOW;LIBRARIES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB_RECURSE ARG_SOURCES RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS test_*.cpp)
    list(REMOVE_ITEM ARG_SOURCES test_main.cpp ${ARG_WITHOUT})
  endif()
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:warpfold_test_main>)
  target_link_libraries(${name} PRIVATE warpfold_flags ${ARG_LIBRARIES} GTest::gtest)
  target_compile_options(${name} PRIVATE -O1)
  foreach(source IN LISTS ARG_SOURCES)
    file(REAL_PATH ${source} path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR}/tests ${path})
    if(place MATCHES "^([a-z0-9_/]*)test_([a-z0-9_]+)\\.cpp$")
      set(test ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
      if(NOT source IN_LIST ARG_SLOW)
        add_test(NAME ${test} COMMAND ${name} --file=${place})
        meet_cache(${test})
        continue()
      endif()
      foreach(part RANGE 7)
        add_test(NAME ${test}.${part} COMMAND ${name} --file=${place})
        meet_cache(${test}.${part})
        set_property(TEST ${test}.${part} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=${part})
      endforeach()
    endif()
  endforeach()
endfunction()

# meet_cache(<test>…): tests that ask for bundled programs find them where others do.
function(meet_cache)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT WARPFOLD_CACHE=${WARPFOLD_TEST_CACHE})
endfunction()

# Before a test's script for Node and its arguments: the folder of the libraries of pages comes behind them.
find_program(WARPFOLD_NODE NAMES node nodejs REQUIRED)
set(with_libraries sh -c "libraries=$($<TARGET_FILE:warpfold> prepare report) && exec ${WARPFOLD_NODE} \"$@\" $libraries" sh)
