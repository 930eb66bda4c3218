"""The building blocks of the panels: matrix view, heat map, formula, layouts, icons."""
