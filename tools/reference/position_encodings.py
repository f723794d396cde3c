# SPDX-License-Identifier: MIT
"""Positional encodings in PyTorch, from the papers and docs/science.md, apart from the C sources.

A tensor's name is that of the program. Queries come scaled. `positions` is (samples or 1, length); distances are key minus
query, (samples or 1, queries, keys).
"""
import math
import torch

NAMES = ("none", "sinusoidal", "absolute", "relative", "transformer_xl", "t5", "alibi", "rope", "kerple", "fire")


def waves(at, size, base=10000.0):
    """Angles (..., size / 2) at positions or distances: the wavelengths are a geometric series from 2 pi to 2 pi base."""
    return at.to(torch.get_default_dtype())[..., None] * base ** (-torch.arange(0, size, 2) / size)


def interleaved(at, size):
    """Vaswani et al. 2017: sine at even coordinates, cosine at odd ones."""
    angle = waves(at, size)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(-2)[..., :size]


def added(s, w, positions):
    """What is added to the input at `positions`; 0 for encodings that act on attention."""
    if s.encoding == "sinusoidal":
        return s.sinusoidal_scale * interleaved(positions, s.stream)
    if s.encoding == "absolute":
        return w["position"][positions]
    return 0


def rope_angles(s, positions, head_dim, length):
    """Su et al. 2021, and what is done to the angles beyond the train length: Chen et al. 2023 (interpolation), "NTK-aware"
    (a larger base), Peng et al. 2023 (YaRN: interpolation by wavelength, and a temperature). Returns angles and the factor
    on each rotated vector."""
    stretch = max(1.0, length / s.train_length)
    if s.rope_scaling == "none" or stretch == 1:
        return waves(positions, head_dim, s.rope_base), 1.0
    if s.rope_scaling == "interpolation":
        return waves(positions / stretch, head_dim, s.rope_base), 1.0
    if s.rope_scaling == "ntk":
        return waves(positions, head_dim, s.rope_base * stretch ** (head_dim / (head_dim - 2))), 1.0
    frequency = s.rope_base ** (-torch.arange(0, head_dim, 2) / head_dim)
    turns = s.train_length * frequency / (2 * math.pi)
    keep = ((turns - 1) / (32 - 1)).clamp(0, 1)
    return positions[..., None] * frequency * (keep + (1 - keep) / stretch), 0.1 * math.log(stretch) + 1


def rotated(x, angles):
    """Turns the pairs (c, c + half) of x (samples, heads, length, head_dim)."""
    a, b = x.chunk(2, -1)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


def t5_bucket(distance, causal, buckets, farthest):
    """Raffel et al. 2020: exact up to half of a direction's buckets, then logarithmic up to `farthest`. Keys after the query
    have buckets of their own unless they are masked."""
    apart, offset = -distance, 0
    if not causal:
        buckets //= 2
        offset = (distance > 0) * buckets
        apart = distance.abs()
    apart, exact = apart.clamp(min=0), buckets // 2
    share = torch.log(apart.clamp(min=1) / exact) / math.log(farthest / exact)
    far = (exact + (share * (buckets - exact)).floor().long()).clamp(max=buckets - 1)
    return offset + torch.where(apart < exact, apart, far)


def fire(s, w, prefix, positions, distance):
    """Li et al. 2024: a small network of psi(distance) / psi(max(L, query's position)), psi(x) = log(c x + 1)."""
    c = w[prefix + "fire.scale"].abs()
    limit = (w[prefix + "fire.threshold"] * s.fire_threshold).abs()
    ratio = torch.log(c * distance.abs() + 1) / (torch.log(c * torch.maximum(positions, limit)[..., None] + 1) + 1e-6)
    hidden = torch.relu(ratio[..., None] * w[prefix + "fire.in"] + w[prefix + "fire.in.bias"])
    return (hidden @ w[prefix + "fire.out"] + w[prefix + "fire.out.bias"]).movedim(-1, 1)


def bias(s, w, prefix, q, k, positions, scale):
    """What is added to the scores q k' (samples, heads, queries, keys)."""
    distance = positions[:, None, :] - positions[:, :, None]
    apart = distance.abs()[:, None].to(q.dtype)
    heads = q.shape[1]
    if s.encoding == "relative":  # Shaw et al. 2018, keys alone
        rows = w[prefix + "relative"][distance.clamp(-s.relative_clip, s.relative_clip) + s.relative_clip]
        return torch.einsum("shqd,sqkd->shqk", q, rows.expand(len(q), -1, -1, -1))
    if s.encoding == "transformer_xl":  # Dai et al. 2019, terms (b), (c), (d)
        waves_of = interleaved(-distance, s.stream) @ w[prefix + "xl.weight"]
        waves_of = waves_of.unflatten(-1, (heads, -1))
        content, position = (scale * w[prefix + "xl." + name].view(heads, 1, -1) for name in ("content_bias", "position_bias"))
        return content @ k.mT + torch.einsum("shqd,sqkhd->shqk", q + position, waves_of.expand(len(q), -1, -1, -1, -1))
    if s.encoding == "t5":
        return w[prefix + "t5.bias"][:, t5_bucket(distance, s.causal, s.t5_buckets, s.t5_distance)].movedim(0, 1)
    if s.encoding == "alibi":  # Press et al. 2022, symmetric
        slopes = torch.tensor([s.alibi_slope]) if s.model == "two_layer" else 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
        return -slopes.to(q.dtype)[:, None, None] * apart
    if s.encoding == "kerple":  # Chi et al. 2022, logarithmic
        a, b = (w[prefix + "kerple." + name].view(heads, 1, 1) for name in ("scale", "rate"))
        return -a * torch.log(1 + b * apart)
    if s.encoding == "fire":
        return fire(s, w, prefix, positions.to(q.dtype), distance.to(q.dtype))
    return 0


def scores(s, w, prefix, q, k, positions, scale):
    """q, k (samples, heads, length, head_dim); q unscaled."""
    if s.encoding == "rope":
        angles, factor = rope_angles(s, positions, q.shape[-1], q.shape[-2])
        q, k = factor * rotated(q, angles), factor * rotated(k, angles)
    q = q * scale
    return q @ k.mT + bias(s, w, prefix, q, k, positions, scale)


def shapes(s, heads, head_dim, prefix):
    """Tensors of one site: the input where prefix is None, else the attention `prefix`."""
    if prefix is None:
        rows = s.random_positions or s.train_length
        return {"position": (rows, s.stream)} if s.encoding == "absolute" else {}
    hidden = s.fire_width
    return {prefix + name: shape for name, shape in {
        "relative": {"relative": (2 * s.relative_clip + 1, head_dim)},
        "transformer_xl": {"xl.weight": (s.stream, heads * head_dim), "xl.content_bias": (heads, head_dim),
                           "xl.position_bias": (heads, head_dim)},
        "t5": {"t5.bias": (heads, s.t5_buckets)},
        "kerple": {"kerple.scale": (1, heads), "kerple.rate": (1, heads)},
        "fire": {"fire.scale": (1, 1), "fire.threshold": (1, 1), "fire.in": (1, hidden), "fire.in.bias": (1, hidden),
                 "fire.out": (hidden, heads), "fire.out.bias": (1, heads)},
    }.get(s.encoding, {}).items()}
