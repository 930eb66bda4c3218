"""The figures of speed that `explorer bench` measures: a development tool, in no wheel and in no bundle.

Each figure is measured by a function of its own, beside a yardstick that is measured in the same run, turn by turn with
it: milliseconds differ threefold from machine to machine, ratios do not.
"""
