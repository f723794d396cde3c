# SPDX-License-Identifier: MIT
"""The cases of parity.py: settings, shapes and batches."""
from dataclasses import dataclass, field
import networks

NARROW = {"width": 12, "heads": 3, "layers": 1, "ffn_factor": 1}
DEEP = NARROW | {"layers": 2, "ffn_factor": 2}
TWO_LAYER = {"model": "two_layer", "head_dim": 4, "value_dim": 5, "readout": "trained", "activation": "relu"}
# Settings of encodings, small enough that a few tokens reach beyond every limit.
SMALL = {"relative": {"relative_clip": 3}, "t5": {"t5_buckets": 8, "t5_distance": 12}, "alibi": {},
         "fire": {"fire_width": 5, "fire_threshold": 4.0}, "kerple": {}, "transformer_xl": {},
         "rope": {"rope_base": 100.0}, "sinusoidal": {"sinusoidal_scale": 0.5}, "absolute": {}, "none": {}}
LONG = 19  # more than a block of 16 queries
NOT_OF_THE_PROGRAM = "vocabulary", "outputs", "causal"
# What the program draws with `random_positions: 40`, seed 1, replicate 0: three samples of step 0 and of the far test set.
DRAWS = {
    "train": ((1, 2, 11, 14, 16, 23, 33), (1, 3, 4, 22, 24, 29, 33), (7, 15, 17, 24, 27, 29, 34)),
    "far": ((1, 2, 3, 4, 5, 6, 9, 10, 14, 16, 17, 18, 19, 21, 22, 24, 25, 26, 27, 30, 32, 33, 34, 35, 36, 37, 38, 39),
            (0, 2, 3, 5, 7, 8, 11, 13, 14, 16, 17, 18, 20, 21, 23, 24, 26, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 39),
            (2, 4, 5, 8, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 27, 29, 30, 31, 32, 33, 35, 36, 38, 39)),
}


@dataclass
class Case:
    name: str
    given: dict
    samples: int = 3
    length: int = 7
    masked: bool = False
    far: bool = True  # with logits beyond the train length
    draws: dict = field(default_factory=dict)
    frozen: tuple = ()

    def __post_init__(self):
        self.given = {"train_length": self.length} | self.given
        self.s = networks.settings(**self.given)

    def settings(self):
        """As the program names them."""
        known = {name: value for name, value in self.given.items() if name not in NOT_OF_THE_PROGRAM}
        known |= {"model": self.s.model, "optimizer": "adamw", "task": "accumulator" if self.s.vocabulary else "signal"}
        if self.s.model == "transformer":
            known["attention_mask"] = "causal" if self.s.causal else "bidirectional"
        return {name: str(value).lower() if isinstance(value, bool) else value for name, value in known.items()}


def vectors(**more):
    return {"dim": 5, "outputs": 1, "pooling": "mean"} | more


def tokens(**more):
    return {"vocabulary": 7, "outputs": 5, "pooling": "per_position", "causal": True} | more


def transformers():
    yield Case("vectors", DEEP | vectors(output_scale=2.0))
    yield Case("tokens", DEEP | tokens(ffn_factor=1, norm="rms", ffn_activation="gelu_tanh"), length=9, masked=True)
    yield Case("last", NARROW | tokens(pooling="last", ffn_activation="relu"))
    yield Case("tied", NARROW | tokens(tied=True, causal=False, output_scale=0.5))
    yield Case("tied_rms", NARROW | tokens(tied=True, norm="rms", head_bias=False, pooling="mean"))
    yield Case("vectors_last", NARROW | vectors(pooling="last", causal=True, norm="rms", ffn_activation="relu"))
    yield Case("vectors_positions", NARROW | vectors(pooling="per_position", ffn_activation="gelu_tanh"), masked=True)
    yield Case("long", NARROW | tokens(), samples=2, length=20)
    for kind in ("ntk", "mup"):
        yield Case(kind, NARROW | tokens(parametrization=kind, base_width=6))
    yield Case("mup_tied", NARROW | tokens(parametrization="mup", base_width=6, tied=True))


def encodings():
    for name in networks.encodings.NAMES[1:]:
        for causal in (True, False):
            given = NARROW | SMALL[name] | vectors(encoding=name, causal=causal)
            yield Case(f"{name}_{'causal' if causal else 'bidirectional'}", given, samples=2, length=LONG, far=name != "absolute")
    for kind, width in (("interpolation", 12), ("ntk", 12), ("yarn", 18)):
        given = NARROW | SMALL["rope"] | vectors(encoding="rope", rope_scaling=kind, width=width, heads=1)
        yield Case(f"rope_{kind}", given, samples=2, length=LONG)


def randomized():
    for name in ("rope", "absolute", "fire"):
        more = NARROW | SMALL[name] | {"encoding": name, "random_positions": 40}
        yield Case(f"{name}_randomized", more | tokens(), draws=DRAWS)
    yield Case("two_layer_t5_randomized", TWO_LAYER | SMALL["t5"] | {"encoding": "t5", "dim": 6, "random_positions": 40},
               draws=DRAWS)


def recurrent():
    for model in ("rnn", "lstm"):
        more = {"model": model, "width": 12 if model == "rnn" else 5, "layers": 2}
        yield Case(f"{model}_tokens", more | tokens(causal=False))
        yield Case(f"{model}_vectors", more | vectors(pooling="last"))
        yield Case(f"{model}_mean", more | vectors(layers=1))
        yield Case(f"{model}_tied", more | tokens(causal=False, layers=1, tied=True), masked=True)


def two_layer():
    for name in networks.encodings.NAMES:
        yield Case(f"two_layer_{name}", TWO_LAYER | SMALL[name] | {"encoding": name, "dim": 6}, far=name != "absolute")
    yield Case("two_layer_linear", TWO_LAYER | {"dim": 6, "activation": "none", "readout": "fixed"}, frozen=("readout",))


def cases():
    for group in (transformers, encodings, randomized, recurrent, two_layer):
        yield from group()
