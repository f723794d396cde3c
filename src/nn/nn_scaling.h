// SPDX-License-Identifier: MIT
// How use, initial values and learning rates of tensors depend on the width (`parametrization`), m = width /
// base_width. All is 1 in `standard`, at m = 1, and outside transformers.
//   ntk: a matrix that reads `width` numbers is used with the factor m^-1/2 and starts m^1/2 as large.
//   mup (Yang et al. 2021, tables 3 and 8): a matrix from width to width learns at 1/m under Adam; what makes vectors
//   of the width or of head_dim from something of constant size (embeddings, input matrices, positions, biases, gains)
//   at m under gradient descent; the head starts m^-1/2 as large and learns at 1/m; embeddings that serve as the head
//   are used there with the factor 1/m. Scores are divided by head_dim, with a constant that makes m = 1 the usual
//   square root.
// A tensor's role is said where it is added, never read off its shape.
#pragma once
#include "nn_private.h"

enum nn_role {
    ROLE_INPUT,     // from constant size to the width: vectors of the width or of head_dim among them
    ROLE_HIDDEN,    // from the width to the width
    ROLE_HEAD,      // from the width to the classes
    ROLE_TIED_HEAD, // embeddings, where they serve as the head
    ROLE_CONSTANT,  // constant size on both sides: the head's bias, biases of scores
};
struct nn_scaling {
    double factor;  // on the matrix where it is used
    double initial; // on its initial values
    double rate;    // nn_tensor.rate
};
struct nn_scaling nn_scaling(const struct settings *settings, enum nn_role role);
double nn_score_scale(const struct settings *settings); // what q·k is multiplied by
