"""Results taken out of the program: a spreadsheet with working formulas, matrices as text, pictures that move."""
