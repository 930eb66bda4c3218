"""Putting together a model that others trained: a plan says which tensor has the numbers of which input."""

import os
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import cast

import numpy as np

from explorer.checkpoints.plans import AGAIN, OTHER_TYPE, TOGETHER, Plan, Source, Turn, as_it_is
from explorer.core.errors import ExplorerError, cut
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, counted
from explorer.core.model import SEQUENCES, Model, names_within
from explorer.core.models import build
from explorer.core.models.ends import TEMPERATURE
from explorer.core.numbers import quantity
from explorer.core.ops import Array, Input
from explorer.core.stored import Stored
from explorer.memory import available

MOST_PRECISE = 10_000_000
"""The most numbers of a model that is computed in float64."""
_COLUMNS = 16
_AT_ONCE = 2**17
"""How many numbers are unpacked from blocks at once: what is needed on the way then stays in the processor's cache."""
THREADS = min(os.cpu_count() or 1, 4)
"""How many tensors are read in parallel."""
_NOT_WEIGHTS = (
    *("inv_freq", "position_ids", "rotary_emb"),
    *(".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias"),
)
"""Parts of the names of tensors that are not weights: masks and angles in older files."""

Told = Callable[[float, float], None]
"""Called now and then while numbers are read, with the number read and the total; it may raise to stop."""


class Type(Frozen):
    """A type in which files store numbers, in blocks."""

    name: str
    numbers: int  # per block
    bytes: int  # per block
    read: Callable[[Array], Array] | None = None  # from blocks, (n, bytes), to numbers, (n, numbers); None: no weights
    finished: Turn = as_it_is  # from what was read to numbers, after it was turned

    def unpacked(self, blocks: Array) -> Array:
        """The numbers, (n, numbers), in blocks, (n, bytes)."""
        assert self.read is not None
        step = max(_AT_ONCE // self.numbers, 1)
        if self.numbers == 1 or len(blocks) <= step:
            return self.read(blocks)
        found = np.empty((len(blocks), self.numbers), np.float32)
        for at in range(0, len(blocks), step):
            found[at : at + step] = self.read(blocks[at : at + step])
        return found


def plain(name: str, form: str, finished: Turn = as_it_is) -> Type:
    """A type that numpy knows under the name `form`."""
    return Type(name, 1, np.dtype(form).itemsize, lambda raw: raw.view(form), finished)


def _widened(upper: Array) -> Array:
    """The numbers of bfloat16, each the upper half of a float32."""
    numbers = np.empty(upper.shape, np.float32)
    wide = numbers.view(np.uint32)  # a view of `numbers`, so that only `numbers` owns the memory
    _copy(upper, wide)
    np.left_shift(wide, 16, out=wide)
    return numbers


def _copy(source: Array, into: Array) -> None:
    """Copy numbers; a transposed array by strips along its original rows, in a third of the time."""
    if into.ndim < 2 or abs(source.strides[-1]) == source.itemsize:
        into[...] = source
        return
    for at in range(0, into.shape[-1], _COLUMNS):
        into[..., at : at + _COLUMNS] = source[..., at : at + _COLUMNS]


F32, F16, BF16 = plain("F32", "<f4"), plain("F16", "<f2"), plain("BF16", "<u2", _widened)


class Tensor(Frozen):
    """One tensor of a file; its numbers have not been read."""

    file: Path
    type: Type
    shape: tuple[int, ...]
    begin: int  # the place of its first byte in the file

    @property
    def width(self) -> int:
        """How many bytes it takes."""
        return prod(self.shape) // self.type.numbers * self.type.bytes

    @property
    def raw(self) -> Array:
        """Its bytes, which are not read before they are needed."""
        if not self.width:
            return np.zeros(0, np.uint8)
        try:
            mapped = np.memmap(self.file, np.uint8, "r", self.begin, (self.width,))
        except ValueError:
            raise damaged(self.file, "became shorter while it was read") from None
        return np.asarray(mapped)  # a memmap slices slowly

    def read(self, dtype: str, turn: Turn = as_it_is) -> Array:
        """Its numbers after `turn`, as a new C-contiguous array, made in few steps: new memory for each takes time.

        Raises `ExplorerError`: "checkpoint" for whole numbers, and for types that are not numbers.
        """
        if self.type.read is None:
            raise wrong(self.file, f"holds a tensor of type {self.type.name}, which is no weight", OTHER_TYPE)
        raw = self.raw
        with np.errstate(invalid="ignore", over="ignore"):  # numbers that are not finite are reported later
            found = self.type.finished(turn(self.type.unpacked(raw.reshape(-1, self.type.bytes)).reshape(self.shape)))
            if found.dtype == dtype and found.flags.c_contiguous and not np.may_share_memory(found, raw):
                return found
            numbers = np.empty(found.shape, dtype)
            _copy(found, numbers)
            return numbers


class Checkpoint(Frozen):
    """An opened model that others trained."""

    path: Path  # the folder or the file
    kind: str  # what it is called where it is shown: its architecture, and the format of a file
    model: Model
    inputs: Mapping[str, Array]
    notices: tuple[str, ...]  # sentences for the person who opens it
    architecture: str  # the `model_type` of a config, also of a file that has no config


def put_together(
    path: Path, kind: str, plan: Plan, found: Mapping[str, Tensor], dtype: str = "", told: Told | None = None
) -> Checkpoint:
    """The model of a plan, with the numbers of these tensors; its words are only numbers.

    `found`: the tensors, by their names in the plan.
    `dtype`: "float64" or "float32"; default: float64 for models of up to `MOST_PRECISE` numbers.
    Raises `ExplorerError`: "checkpoint" if the sizes do not fit together, or a tensor is missing.
    """
    numbers = sum(prod(one.shape) for one in found.values())
    dtype = dtype or ("float64" if numbers <= MOST_PRECISE else "float32")
    other = {name: own for name, own in plan.otherwise.items() if name not in found and own in found}
    named = {name: name for name in found} | other
    found = {name: found[own] for name, own in named.items()}
    plan, notices = _as_found(plan, found)
    # Sizes are compared before anything is made from them.
    _check_sizes(path, plan, found)
    try:
        model = model_of(plan, dtype)
        graph = build(model)
    except ExplorerError:
        raise unfit(path, "has sizes that do not fit together, or that are beyond what is read here") from None
    _check_memory(path, numbers * np.dtype(dtype).itemsize)
    sources = _sources(path, plan, graph, found)
    inputs = {
        name: cast(Input, node.op).start(name, graph.shape(name), dtype, 0)
        for name, node in graph.nodes.items()
        if node.is_input and name != TEMPERATURE and name not in sources
    }
    whole: dict[str, Array] = {}
    for name, array in _arrays(path, graph, found, sources, dtype, told, notices):
        # A table used by two sequences is kept once.
        shared = name.endswith(".table")
        inputs[name] = whole.setdefault(named[sources[name][1][0]], array) if shared else array
    if TEMPERATURE in graph.nodes:
        inputs[TEMPERATURE] = np.ones((), dtype)
    used = {one for _, keys in sources.values() for key in keys for one in (key, named[key])}
    used |= {plan.otherwise[name] for name in used & plan.otherwise.keys()}
    if plan.switches.get("output.tied") and "output.W" in plan.nodes:
        used.add(plan.nodes["output.W"].tensor)  # the same numbers as the table
    unused = [name for name in found if name not in used and not any(part in name for part in _NOT_WEIGHTS)]
    if unused:
        few = ", ".join(written(name) for name in unused[:3])
        are = "is" if len(unused) == 1 else "are"
        notices.append(f"{len(unused)} of its tensors {are} not used: {few}{' …' if len(unused) > 3 else ''}")
    called = {
        node: Stored(named.get(source.tensor, source.tensor)) for node, source in plan.nodes.items() if source.tensor
    }
    for name, (source, keys) in sources.items():
        node = next(one for one in names_within(name) if one in called)
        if not called[node].shape:  # all layers of a file are laid out alike
            called[node] = _laid_out(called[node], source, found[keys[0]].shape)
    return Checkpoint(path, kind, replace(model, called=called), inputs, tuple(notices), kind)


def _laid_out(stored: Stored, source: Source, shape: tuple[int, ...]) -> Stored:
    """Where the numbers of an input stand in a tensor of this shape: its conversion moves none, so strides tell it."""
    places = np.empty(shape, np.uint8)  # one byte a number, none of which is ever touched
    turned = source.turn(places)
    if not np.may_share_memory(turned, places):
        return stored  # the conversion copies
    first = turned.__array_interface__["data"][0] - places.__array_interface__["data"][0]
    return replace(stored, shape=shape, first=first, steps=(*((0,) if source.each else ()), *turned.strides))


def _as_found(plan: Plan, found: Mapping[str, Tensor]) -> tuple[Plan, list[str]]:
    """The plan without an output that the tensors lack, or with one of its own; and sentences that say so."""
    notices = []
    if plan.kind == "encoder" and not any(name.startswith(plan.head) for name in found):
        nodes = {name: source for name, source in plan.nodes.items() if not name.startswith("output.")}
        plan = replace(plan, nodes=nodes, switches={**plan.switches, "output.on": False, "output.tied": False})
        notices.append("it has no output: what comes out are the words' vectors")
    if _has_its_own_output(plan, found):
        plan = replace(plan, switches={**plan.switches, "output.tied": False})
        notices.append("its output has weights of its own, although its config says that they are those of the words")
    return plan, notices


def _check_memory(path: Path, needed: int) -> None:
    """Whether the weights of a model, so many bytes, fit into the free memory."""
    there = available()
    if needed > there:
        raise wrong(
            path,
            f"needs {needed / 1e9:.1f} GB of memory for its weights, and {there / 1e9:.1f} GB are free here",
            "end other programs, or choose a smaller model",
        )


def _sources(path: Path, plan: Plan, graph: Graph, found: Mapping[str, Tensor]) -> dict[str, tuple[Source, list[str]]]:
    """The inputs of a graph that are read from tensors, each with the names of these."""
    sources = {}
    for name, node in graph.nodes.items():
        source = _source(plan, name) if node.is_input and not node.op.whole and name != TEMPERATURE else None
        if source is None or not source.tensor:
            continue
        k = name.split(".")[1] if name.partition(".")[0] in ("encoder", "decoder") else ""
        keys = [source.tensor.format(k=int(k) - 1 if k.isdigit() else 0, e=e) for e in range(max(source.each, 1))]
        if missing := [key for key in keys if key not in found]:
            raise unfit(path, f"lacks the tensor {missing[0]}")
        if unread := [key for key in keys if found[key].type.read is None]:
            raise wrong(path, f"holds {unread[0]} as {found[unread[0]].type.name}, which is no weight", OTHER_TYPE)
        sources[name] = source, keys
    return sources


def _arrays(
    path: Path,
    graph: Graph,
    found: Mapping[str, Tensor],
    sources: Mapping[str, tuple[Source, list[str]]],
    dtype: str,
    told: Told | None,
    notices: list[str],
) -> Iterator[tuple[str, Array]]:
    """Each input with its numbers; what is wrong with these is added to `notices`."""
    read, all_of_it = 0, sum(prod(one.shape) for one in found.values())
    tensors = ((found[key], source.turn) for source, keys in sources.values() for key in keys)
    with closing(_numbers(tensors, dtype)) as numbers_of:
        for name, (source, keys) in sources.items():
            arrays = []
            for key in keys:
                if told is not None:
                    told(read, all_of_it)
                array, others = next(numbers_of)
                shape = graph.shape(name)[1 if source.each else 0 :]
                if array.shape != shape:
                    of = _asked(found[key].shape, source.turn, shape)
                    raise unfit(path, f"has {key} in the shape {found[key].shape}, which does not fit its config{of}")
                if others:
                    are = "is" if others == 1 else "are"
                    notices.append(f"{key} holds {quantity(others, 'number')} that {are} not finite")
                arrays.append(array)
            array = np.stack(arrays) if source.each else arrays[0]
            read += array.size
            yield name, array


def _asked(stored: tuple[int, ...], turn: Turn, shape: tuple[int, ...]) -> str:
    """What a config asks for in the place of a tensor with a stored shape, as far as that is known."""
    if prod(stored) != prod(shape):
        return f": that asks for {prod(shape):,} numbers"
    swapped = stored[::-1]
    with suppress(ValueError):
        if turn(np.broadcast_to(0, swapped)).shape == shape:
            return f": that asks for {swapped}"
    return ""


def _numbers(tensors: Iterable[tuple[Tensor, Turn]], dtype: str) -> Generator[tuple[Array, int]]:
    """The numbers of tensors in order, and how many of each are not finite; further tensors are read in the background.

    Most of the time is spent on touching new memory, which several cores can do in parallel.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[tuple[Array, int]]] = deque()
        try:
            for tensor, turn in tensors:
                waiting.append(pool.submit(_read, tensor, turn, dtype))
                if len(waiting) > THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _read(tensor: Tensor, turn: Turn, dtype: str) -> tuple[Array, int]:
    try:
        array = tensor.read(dtype, turn)
    except ValueError:  # the number of heads does not divide it
        return np.empty(0, dtype), 0
    flat = array.reshape(-1)
    with np.errstate(all="ignore"):
        finite = bool(np.isfinite(np.dot(flat, flat)))  # quick: a sum with a number that is not finite is not finite
    return array, 0 if finite else int((~np.isfinite(array)).sum())


def _has_its_own_output(plan: Plan, found: Mapping[str, Tensor]) -> bool:
    """Whether the output's weights differ from the table to which the config ties them."""
    own, table = plan.nodes.get("output.W"), plan.nodes[f"{SEQUENCES[plan.kind][-1]}.table"]
    if own is None or not plan.switches.get("output.tied") or own.tensor not in found or table.tensor not in found:
        return False
    one, other = found[own.tensor], found[table.tensor]
    if one.shape != other.shape or one.type.name != other.type.name:
        return one.shape != other.shape or not np.array_equal(
            one.read("float32"), other.read("float32"), equal_nan=True
        )
    mine, theirs = one.raw, other.raw  # as numbers, both would take as much memory as a tenth of the model
    parts = range(0, len(mine), _COMPARED)
    return not all(np.array_equal(mine[at : at + _COMPARED], theirs[at : at + _COMPARED]) for at in parts)


_COMPARED = 2**24
"""How many bytes of two tensors are compared at once."""


def _check_sizes(path: Path, plan: Plan, found: Mapping[str, Tensor]) -> None:
    for sequence in SEQUENCES[plan.kind]:
        table = plan.nodes[f"{sequence}.table"].tensor
        if table not in found:
            raise unfit(path, f"lacks the tensor {table}")
        said = _words(plan, sequence), int(plan.switches.get("input.table_width", 0)) or plan.d_model
        if found[table].shape != said:
            raise unfit(path, f"has {table} in the shape {found[table].shape}, not {said} as its config says")
    for stack, layers in (("encoder", plan.layers), ("decoder", plan.decoder_layers or plan.layers)):
        source = plan.nodes.get("self.W_O") or plan.nodes[f"{stack}.self.W_O"]
        last = source.tensor.format(k=layers - 1)
        if last not in found:
            raise unfit(path, f"has fewer layers than the {layers} that its config says: it lacks {last}")
    for name, source in plan.nodes.items():
        stack, number = (*name.split(".", 2), "")[:2]
        k = int(number) - 1 if stack in ("encoder", "decoder") and number.isdigit() else 0
        if f"decoder.{k + 1}.{name}" in plan.nodes or not source.tensor:
            continue
        if name == "output.W" and plan.switches.get("output.tied"):
            continue
        if name == "ffn.W_r" and plan.switches.get("decoder.1.ffn.experts") == 0:
            continue  # the first layer has a single net
        keys = [source.tensor.format(k=k, e=e) for e in range(max(source.each, 1))]
        if missing := [key for key in keys if key not in found]:
            raise unfit(path, f"lacks the tensor {missing[0]}")
        if name.endswith("ffn.W_1"):
            own = f"{name.removesuffix('W_1')}d_ff"
            width = int(plan.switches[own if own in plan.switches else "ffn.d_ff"])
            if width not in found[keys[0]].shape:
                raise unfit(
                    path,
                    f"has {keys[0]} in the shape {found[keys[0]].shape}, but its config says {width} hidden units",
                )
    if (
        plan.switches.get("input.positions") == "own"
        and found[plan.nodes["input.places"].tensor].shape[0] != plan.switches["input.room"]
    ):
        raise unfit(path, "has another number of positions than its config says")


def _source(plan: Plan, name: str) -> Source:
    """The source of an input: by its own name, by its name within the stack, or by its name within every layer."""
    return next(plan.nodes[one] for one in names_within(name) if one in plan.nodes)


def model_of(plan: Plan, dtype: str) -> Model:
    """The model of a plan; its words are numbers, and each of its sequences has one word.

    Raises `ExplorerError` if a switch cannot have the plan's value.
    """
    sequences = SEQUENCES[plan.kind]
    lengths = dict.fromkeys(sequences, 1)
    axes = {f"{sequence}.words": ("0", *counted(_words(plan, sequence) - 1)) for sequence in sequences}
    behind = plan.decoder_layers if plan.decoder_layers != plan.layers else 0
    model = Model(plan.kind, lengths, axes, plan.d_model, plan.layers, dtype=dtype, behind=behind)
    for block in model.blocks():
        for path, value in plan.switches.items():
            of, _, name = path.rpartition(".")
            if of == _nearest(plan, block, name):
                model = model.with_switch(block, name, value)
    for sequence in sequences:
        model = model.with_switch(sequence, "lookup", "index")
    return model.with_switch("loss", "loss", "none")


def _words(plan: Plan, sequence: str) -> int:
    return plan.written or plan.words if sequence == "target" else plan.words


def _nearest(plan: Plan, block: str, name: str) -> str:
    """The plan's name of the block that decides this switch: the block itself, its stack, or all layers."""
    stack, _, part = block.partition(".")
    part = part.rpartition(".")[2]
    names = [block, f"{stack}.{part}", part]
    if part == "cross":
        names += [f"{stack}.self", "self"]
    if not part:
        names = [block, "input"] if block in ("source", "target") else [block]
    return next((one for one in names if f"{one}.{name}" in plan.switches), "")


def written(name: str) -> str:
    """A name from a file, in a form that is safe in a sentence."""
    return repr(cut(name))


def damaged(path: Path, problem: str) -> ExplorerError:
    """The error for a file that cannot be as it was written."""
    return wrong(path, problem, AGAIN)


def check_no_text(file: Path, head: bytes) -> None:
    """Check that a file does not begin as a text does: a pointer of Git LFS, or the page of a server that refused it.

    Raises `ExplorerError`: "checkpoint".
    """
    if head.startswith(POINTER):
        raise wrong(file, "is a pointer of Git LFS in the place of the weights", "get them with `git lfs pull`")
    if len(head) > _FEW and all(byte in _LETTERS for byte in head):
        line = head.decode().strip().splitlines()[0]
        raise damaged(file, f"is a text and no weights; it begins with {written(line)}")


POINTER = b"version https://git-lfs."
"""How the file begins that Git LFS has in the place of a large one."""
_LETTERS = frozenset(b"\t\r\n" + bytes(range(32, 127)))
_FEW, HEAD = 7, 60
"""A text has more letters than the first; so many bytes are looked at as `HEAD` says."""


def check_places(file: Path, tensors: Collection[Tensor], begin: int, size: int) -> int:
    """Check that the tensors behind a place of a file lie in it, and apart; returns the place at which the last ends.

    Raises `ExplorerError`: "checkpoint".
    """
    last = max((one.begin + one.width for one in tensors), default=begin)
    if (n := last - size) > 0:
        raise damaged(file, f"is cut short: {quantity(n, 'byte')} of its tensors {'is' if n == 1 else 'are'} missing")
    places = sorted((one.begin, one.begin + one.width) for one in tensors if one.width)
    if any(one[1] > other[0] for one, other in pairwise(places)):
        raise damaged(file, "has tensors that overlap")
    return last


def unfit(path: Path, problem: str) -> ExplorerError:
    """The error for weights that are not those that a config, or the facts of a file, promise."""
    return wrong(path, problem, TOGETHER if path.is_dir() else AGAIN)


def wrong(path: Path, problem: str, remedy: str) -> ExplorerError:
    """The error for this problem of a checkpoint, with what people can do."""
    return ExplorerError("checkpoint", file=str(path), problem=problem, remedy=remedy)
