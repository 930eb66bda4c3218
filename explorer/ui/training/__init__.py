"""The tab "Train", and gradient descent in the window: its run, its pace, the curve and the surface of the loss."""
