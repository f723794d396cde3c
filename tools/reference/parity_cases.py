# SPDX-License-Identifier: MIT
"""The cases of parity.py: settings, shapes and batches."""
from dataclasses import dataclass, field
import networks

NARROW = {"width": 12, "heads": 3, "layers": 1, "ffn_factor": 2}
DEEP = NARROW | {"layers": 2}
TWO_LAYER = {"model": "two_layer", "head_dim": 4, "value_dim": 5, "readout": "trained", "activation": "relu"}
# Settings of encodings, small enough that a few tokens reach beyond every limit.
SMALL = {"relative": {"relative_clip": 3}, "t5": {"t5_buckets": 8, "t5_distance": 12}, "alibi": {},
         "fire": {"fire_width": 5, "fire_threshold": 4.0}, "kerple": {}, "transformer_xl": {},
         "rope": {"rope_base": 100.0}, "sinusoidal": {"sinusoidal_scale": 0.5}, "absolute": {}, "none": {}}
INPUT_OR_TURNED = "none", "sinusoidal", "absolute", "rope"
NOT_OF_THE_PROGRAM = "vocabulary", "outputs", "causal"


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
        known |= {"task": "accumulator" if self.s.vocabulary else "signal"}
        if self.s.model == "transformer":
            known["attention_mask"] = "causal" if self.s.causal else "bidirectional"
        return {name: str(value).lower() if isinstance(value, bool) else value for name, value in known.items()}


def vectors(**more):
    return {"dim": 5, "outputs": 1, "head": "mean"} | more


def tokens(**more):
    return {"vocabulary": 7, "outputs": 5, "head": "per_position", "causal": True} | more


def transformers():
    yield Case("vectors", DEEP | vectors(output_scale=2.0))
    yield Case("tokens", DEEP | tokens(norm="rms", ffn_activation="gelu_tanh"), length=9, masked=True)
    yield Case("last", NARROW | tokens(head="last", ffn_activation="relu"))
    yield Case("tied", NARROW | tokens(tied=True, causal=False))
    yield Case("tied_rms", NARROW | tokens(tied=True, norm="rms", head_bias=False, head="mean"))
    yield Case("vectors_last", NARROW | vectors(head="last", causal=True, norm="rms", ffn_activation="relu"))
    yield Case("vectors_positions", NARROW | vectors(head="per_position", ffn_activation="gelu_tanh"), masked=True)
    yield Case("long", NARROW | tokens(), samples=2, length=20)
    for kind in ("ntk", "mup"):
        yield Case(kind, NARROW | tokens(parametrization=kind, base_width=6))


def encodings():
    for name in networks.encodings.NAMES[1:]:
        more = NARROW | SMALL[name] | {"encoding": name, "ffn_factor": 1}
        yield Case(name, more | tokens(), far=name != "absolute", length=9)
        if name not in INPUT_OR_TURNED:
            yield Case(f"{name}_bidirectional", more | vectors())
    for kind in ("interpolation", "ntk", "yarn"):
        yield Case(f"rope_{kind}", NARROW | SMALL["rope"] | vectors(encoding="rope", rope_scaling=kind, heads=1, ffn_factor=1))


def recurrent():
    for model in ("rnn", "lstm"):
        more = {"model": model, "width": 12 if model == "rnn" else 6, "layers": 2}
        yield Case(f"{model}_tokens", more | tokens(causal=False))
        yield Case(f"{model}_vectors", more | vectors(head="last"))
        yield Case(f"{model}_mean", more | vectors(layers=1))
        yield Case(f"{model}_tied", more | tokens(causal=False, layers=1, tied=True), masked=True)


def two_layer():
    for name in networks.encodings.NAMES:
        yield Case(f"two_layer_{name}", TWO_LAYER | SMALL[name] | {"encoding": name, "dim": 6}, far=name != "absolute")
    yield Case("two_layer_linear", TWO_LAYER | {"dim": 6, "activation": "none", "readout": "fixed"}, frozen=("readout",))


def cases():
    for group in (transformers, encodings, recurrent, two_layer):
        yield from group()
