pick_pkg.sv  # relative to the list
