# The model as one shared library for other people's programs: find_package(Warpfold), Warpfold::warpfold. Shared, since a
# linker would drop the self-registering mechanisms from an archive.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(parts common ptx isa area divergence compaction memory core gpu)
add_library(warpfold_model SHARED)
foreach(part IN LISTS parts)
  target_sources(warpfold_model PRIVATE $<TARGET_OBJECTS:warpfold_${part}>)
endforeach()
target_link_libraries(warpfold_model PUBLIC fmt::fmt PkgConfig::SYSTEMC PRIVATE PkgConfig::YAML PkgConfig::NETTLE)
target_compile_definitions(warpfold_model PUBLIC SC_CPLUSPLUS=201703L)
target_compile_features(warpfold_model PUBLIC cxx_std_20)
target_include_directories(warpfold_model INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(warpfold_model PROPERTIES OUTPUT_NAME warpfold EXPORT_NAME warpfold LINKER_LANGUAGE CXX)
add_library(Warpfold::warpfold ALIAS warpfold_model)

# For plug-ins: all but the code, which programs have (docs/plug-ins.md).
add_library(warpfold_plugin INTERFACE)
set_target_properties(warpfold_plugin PROPERTIES EXPORT_NAME plugin)
target_sources(warpfold_plugin INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/plugin_version.cpp>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/cmake/Warpfold/plugin_version.cpp>)
add_dependencies(warpfold_plugin warpfold_gpu)
target_link_libraries(warpfold_plugin INTERFACE fmt::fmt PkgConfig::SYSTEMC)
target_compile_definitions(warpfold_plugin INTERFACE SC_CPLUSPLUS=201703L)
target_compile_features(warpfold_plugin INTERFACE cxx_std_20)
target_include_directories(warpfold_plugin INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(Warpfold::plugin ALIAS warpfold_plugin)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Warpfold)
install(TARGETS warpfold_model warpfold_plugin EXPORT Warpfold LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT Warpfold NAMESPACE Warpfold:: FILE WarpfoldTargets.cmake DESTINATION ${package_directory})
# The build tree is a package, too.
export(EXPORT Warpfold NAMESPACE Warpfold:: FILE ${CMAKE_BINARY_DIR}/WarpfoldTargets.cmake)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/WarpfoldSources.cmake CONTENT "set(Warpfold_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")\n")
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpfold FILES_MATCHING PATTERN "*.h"
  PATTERN host/include EXCLUDE PATTERN host/device EXCLUDE)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold)
configure_package_config_file(scripts/cmake/WarpfoldConfig.cmake.in ${CMAKE_BINARY_DIR}/WarpfoldConfig.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/WarpfoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/WarpfoldConfig.cmake ${CMAKE_BINARY_DIR}/WarpfoldConfigVersion.cmake
  ${CMAKE_BINARY_DIR}/plugin_version.cpp
  DESTINATION ${package_directory})
