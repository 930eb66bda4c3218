import numpy as np

from explorer.core.cell import Constant, Source, operands, step, steps

Q = Source("Q", np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_an_operand_is_a_cell_or_a_line_of_a_node():
    cell, line = Q[1, 0], Q[1, :]
    assert (cell.node, cell.index, cell.value) == ("Q", (1, 0), 3)
    assert line.index == (1, slice(None))
    assert line.value.tolist() == [3, 4]
    assert Source("scale", np.array(0.5))[()].index == ()
    assert Source("gamma", np.array([1.0, 2.0]))[1].index == (1,)


def test_a_step_computes_its_value_from_its_arguments():
    squares = step("square", Q[0, :])
    assert squares.value.tolist() == [1, 4]
    assert step("sum", squares).value == 5
    assert step("norm", Q[1, :]).value == 5
    assert step("dot", Q[0, :], Q[1, :]).value == 11
    assert step("subtract", Constant(1, "1"), Q[1, 1]).value == -3
    assert step("where", Q[0, 0], Q[1, 0], Constant(-np.inf, "−∞")).value == 3
    assert step("mean_of", Q[0, 0], Q[0, 1]).value == 1.5


def test_steps_stand_in_the_order_they_are_carried_out_each_once():
    mean = step("mean", Q[0, :])
    centred = step("subtract", Q[0, 0], mean)
    deviation = step("sqrt", step("mean", step("square", step("subtract", Q[0, :], mean))))
    last = step("divide", centred, deviation)
    order = list(steps(last))
    assert [one.function for one in order] == ["mean", "subtract", "subtract", "square", "mean", "sqrt", "divide"]
    assert order[-1] is last


def test_operands_in_reading_order_each_once():
    top = step("max", Q[0, :])
    last = step("subtract", Q[0, 1], step("add", top, step("exp", Q[0, 1])))
    assert [(operand.node, operand.index) for operand in operands(last)] == [("Q", (0, slice(None))), ("Q", (0, 1))]
