# cmake -D HEADERS=LIST -D VERSION=V -D OUT=FILE -P plugin_version.cmake: what says for which headers code was compiled.
file(STRINGS ${HEADERS} headers)
set(all "")
foreach(header IN LISTS headers)
  file(SHA256 ${header} sum)
  string(APPEND all ${sum})
endforeach()
string(SHA256 sum "${all}")
string(SUBSTRING ${sum} 0 16 sum)
file(CONFIGURE OUTPUT ${OUT} CONTENT
  "// Looked for in plug-ins before they are loaded: models/gpu/run/plugins.cpp.
extern \"C\" __attribute__((used)) const char warpfold_plugin_of[] = \"warpfold plug-in of: ${VERSION}, headers ${sum}\";
" @ONLY)
