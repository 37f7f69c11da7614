# The programs, in the shape of a build: PREFIX/lib/warpfold/{bin,lib,cuda,include}, which find each other wherever the prefix
# is moved to; names for users in PREFIX/bin; pages, completion and the sources of what is compiled when it is first asked
# for. `cpack -G DEB` packs it (docs/installing.md).
set(home lib/warpfold)
install(TARGETS warpfold warpfold-cc RUNTIME DESTINATION ${home}/bin)
install(TARGETS warpfold_cudart_installed LIBRARY DESTINATION ${home}/lib)
install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/warpfold_libdevice.bc DESTINATION ${home}/lib)
install(DIRECTORY models/host/include/ DESTINATION ${home}/include)
install(DIRECTORY ${CMAKE_BINARY_DIR}/cuda/absent DESTINATION ${home}/cuda)
install(FILES ${CMAKE_BINARY_DIR}/cuda/version.json DESTINATION ${home}/cuda)
install(DIRECTORY tb/workloads/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold/workloads
  FILES_MATCHING PATTERN "*.cu" PATTERN "*.h" PATTERN "workload.yaml")
install(DIRECTORY tb/libraries tb/study/report DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold)
install(DIRECTORY docs/samples DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold FILES_MATCHING PATTERN "new_mechanism.*" PATTERN "test_new_mechanism.*")
install(DIRECTORY scripts/python/warpfold DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Links and linker scripts, none of which names the prefix.
set(links ${CMAKE_BINARY_DIR}/installed/links)
file(MAKE_DIRECTORY ${links}/bin ${links}/${home}/cuda/bin ${links}/${home}/cuda/lib64/stubs)
foreach(program warpfold warpfold-cc)
  file(CREATE_LINK ../${home}/bin/${program} ${links}/bin/${program} SYMBOLIC)
endforeach()
file(CREATE_LINK ../../bin/warpfold-cc ${links}/${home}/cuda/bin/nvcc SYMBOLIC)
file(CREATE_LINK ../include ${links}/${home}/cuda/include SYMBOLIC)
file(CREATE_LINK lib64 ${links}/${home}/cuda/lib SYMBOLIC)
foreach(name libcudart.so libcuda.so libcuda.so.1 libnvToolsExt.so libnvrtc.so libnvrtc-builtins.so libwarpfold_cudart.so)
  file(CREATE_LINK ../../lib/libwarpfold_cudart.so ${links}/${home}/cuda/lib64/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ../libcuda.so ${links}/${home}/cuda/lib64/stubs/libcuda.so SYMBOLIC)
foreach(name libcudart.a libcudart_static.a libcudadevrt.a libnvrtc_static.a libnvrtc-builtins_static.a)
  file(WRITE ${links}/${home}/cuda/lib64/${name} "INPUT(-lwarpfold_cudart)\n")
endforeach()
install(DIRECTORY ${links}/ DESTINATION .)

# Written by the program itself, from its table of options.
set(written ${CMAKE_BINARY_DIR}/installed/written)
file(MAKE_DIRECTORY ${written}/man)
add_custom_command(OUTPUT ${written}/man/warpfold.1 ${written}/bash ${written}/zsh ${written}/fish
  COMMAND warpfold man --out ${written}/man
  COMMAND warpfold completion bash > ${written}/bash
  COMMAND warpfold completion zsh > ${written}/zsh
  COMMAND warpfold completion fish > ${written}/fish
  DEPENDS warpfold COMMENT "Writing man pages and shell completion" VERBATIM)
add_custom_target(warpfold_pages ALL DEPENDS ${written}/man/warpfold.1)
install(DIRECTORY ${written}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${written}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warpfold)
install(FILES ${written}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _warpfold)
install(FILES ${written}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME warpfold.fish)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpfold)
set(CPACK_PACKAGE_CONTACT "Warpfold developers <warpfold@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level model of SIMT GPU cores in SystemC")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # of its programs; what warpfold-cc starts comes on top
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-14, libomp-14-dev, g++")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libsystemc-dev, libfmt-dev")  # for those who link the model
include(CPack)
