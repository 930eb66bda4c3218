"""Going through the steps of a lesson: the panel beside the stage, the page of lessons, presenter mode, hand-outs."""
