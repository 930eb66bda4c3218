"""What panels and window are made of: matrix view, pictures, formula, the bars round the stage, layouts, icons."""
