// What the design is made of: folders of what it includes, a macro, a list in this one, files.
+incdir+include
+define+AT_LEAST=2
-f packages.f
compactor_modern.sv
