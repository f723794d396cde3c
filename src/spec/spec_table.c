// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <float.h>
#include <math.h>

const char *const section_names[SECTIONS] = {"", "task", "model", "train", "evaluate"};

static const char *const task_names[TASK_KINDS + 1] = {"signal",
                                                       "accumulator",
                                                       "automaton",
                                                       "brackets",
                                                       "addition",
                                                       "multiplication",
                                                       "modular",
                                                       "file",
                                                       "stack_manipulation",
                                                       "reverse_string",
                                                       "modular_arithmetic_brackets",
                                                       "solve_equation",
                                                       "duplicate_string",
                                                       "missing_duplicate_string",
                                                       "odds_first",
                                                       "binary_addition",
                                                       "binary_multiplication",
                                                       "compute_sqrt",
                                                       "bucket_sort"};
static const char *const model_names[MODEL_KINDS + 1] = {"two_layer", "transformer", "rnn", "lstm"};
static const char *const encoding_names[ENCODING_KINDS + 1] = {
    "none", "sinusoidal", "absolute", "relative", "alibi", "rope", "transformer_xl", "t5", "kerple", "fire"};
static const char *const optimizer_names[OPTIMIZER_KINDS + 1] = {"gd", "momentum", "adam", "adamw"};
static const char *const schedule_names[SCHEDULE_KINDS + 1] = {"constant", "cosine", "step", "inverse_sqrt"};
static const char *const data_names[] = {"finite", "stream", NULL};
static const char *const supervision_names[] = {"steps", "final", NULL};
static const char *const noise_places[] = {"target", "final", "chain", NULL};
static const char *const distribution_names[] = {"fixed", "uniform", "exponential", "list", NULL};
static const char *const mixing_names[] = {"samples", "batches", NULL};
static const char *const digit_orders[] = {"plain", "reversed", NULL};
static const char *const budget_names[] = {"steps", "tokens", "flops", NULL};
static const char *const curriculum_names[] = {"none", "schedule", "validation", NULL};
static const char *const automaton_names[AUTOMATON_KINDS + 1] = {
    "parity", "cycle_navigation", "even_pairs", "modular_arithmetic", "flip_flop",
    "cyclic", "dihedral",         "symmetric",  "alternating5",       "table"};
static const char *const group_symbols_names[] = {"elements", "generators", NULL};
static const char *const ffn_names[FFN_KINDS + 1] = {"gelu", "gelu_tanh", "relu"};
static const char *const embeddings_names[] = {"trained", "orthonormal", NULL};
static const char *const norm_names[] = {"layer", "rms", NULL};
static const char *const mask_names[] = {"auto", "causal", "bidirectional", NULL};
static const char *const pooling_names[] = {"auto", "per_position", "last", "mean", NULL};
static const char *const parametrization_names[] = {"standard", "ntk", "mup", NULL};
static const char *const rope_scaling_names[] = {"none", "interpolation", "ntk", "yarn", NULL};
static const char *const position_names[] = {"random", "first", NULL};
static const char *const geometry_names[] = {"orthogonal", "antipodal", NULL};
static const char *const readout_names[] = {"fixed", "trained", NULL};
static const char *const activation_names[] = {"none", "relu", NULL};

#define IF(name, condition)                                                                                            \
    static bool name(const struct settings *s)                                                                         \
    {                                                                                                                  \
        return condition;                                                                                              \
    }
IF(is_signal, s->task.kind == TASK_SIGNAL)
IF(is_accumulator, s->task.kind == TASK_ACCUMULATOR)
IF(is_automaton, s->task.kind == TASK_AUTOMATON)
IF(is_group, is_automaton(s) && s->task.automaton >= AUTOMATON_CYCLIC && s->task.automaton <= AUTOMATON_ALTERNATING5)
IF(is_table, is_automaton(s) && s->task.automaton == AUTOMATON_TABLE)
IF(has_order, is_group(s) && s->task.automaton != AUTOMATON_ALTERNATING5)
IF(is_brackets, s->task.kind == TASK_BRACKETS)
IF(is_modular, s->task.kind == TASK_MODULAR)
IF(is_multiplication, s->task.kind == TASK_MULTIPLICATION)
IF(has_numbers, s->task.kind == TASK_ADDITION || is_multiplication(s))
IF(has_offset, has_numbers(s) && !(is_multiplication(s) && s->task.multiplier_digits))
IF(is_file, s->task.kind == TASK_FILE)
IF(has_modulus, is_accumulator(s) || is_modular(s) || has_residues(s))
IF(is_tokens, s->task.kind != TASK_SIGNAL)
IF(has_state, is_accumulator(s) || is_automaton(s) || is_brackets(s))
IF(is_supervised, has_state(s) || is_file(s))
IF(answers_last, has_state(s) && s->task.supervision == SUPERVISION_FINAL)
IF(draws_lengths, s->task.length_distribution == LENGTHS_UNIFORM || s->task.length_distribution == LENGTHS_EXPONENTIAL)
IF(lists_lengths, s->task.length_distribution == LENGTHS_LIST)
IF(mixes_lengths, s->task.length_distribution != LENGTHS_FIXED && s->train.data == DATA_STREAM)
IF(is_two_layer, s->model.kind == MODEL_TWO_LAYER)
IF(is_transformer, s->model.kind == MODEL_TRANSFORMER)
IF(is_deep, s->model.kind != MODEL_TWO_LAYER)
IF(has_attention, s->model.kind == MODEL_TWO_LAYER || s->model.kind == MODEL_TRANSFORMER)
IF(embeds, is_deep(s) && is_tokens(s))
IF(uses_snr, is_signal(s) || (embeds(s) && s->model.embeddings == EMBEDDINGS_ORTHONORMAL))
IF(ties, embeds(s) && s->model.embeddings == EMBEDDINGS_TRAINED)
IF(scales_width, is_transformer(s) && s->model.parametrization != PARAMETRIZATION_STANDARD)
IF(uses_relative, has_attention(s) && s->model.encoding == ENCODING_RELATIVE)
IF(uses_alibi_slope, is_two_layer(s) && s->model.encoding == ENCODING_ALIBI)
IF(uses_rope, has_attention(s) && s->model.encoding == ENCODING_ROPE)
IF(uses_sinusoidal, has_attention(s) && s->model.encoding == ENCODING_SINUSOIDAL)
IF(uses_t5, has_attention(s) && s->model.encoding == ENCODING_T5)
IF(uses_fire, has_attention(s) && s->model.encoding == ENCODING_FIRE)
IF(uses_positions, has_attention(s) && s->model.encoding != ENCODING_NONE)
IF(learns_positions, is_transformer(s) && (s->model.encoding == ENCODING_ABSOLUTE || uses_relative(s) ||
                                           s->model.encoding == ENCODING_TRANSFORMER_XL))
IF(finite_data, s->train.data == DATA_FINITE)
IF(uses_samples, finite_data(s) || s->train.batch_size == 0)
IF(uses_momentum, s->train.optimizer == OPTIMIZER_MOMENTUM)
IF(uses_adam, s->train.optimizer == OPTIMIZER_ADAM || s->train.optimizer == OPTIMIZER_ADAMW)
IF(uses_cosine, s->train.schedule == SCHEDULE_COSINE)
IF(uses_decay, s->train.schedule == SCHEDULE_STEP)
IF(budget_of_steps, s->train.budget == BUDGET_STEPS)
IF(budget_of_tokens, s->train.budget == BUDGET_TOKENS)
IF(budget_of_flops, s->train.budget == BUDGET_FLOPS)
IF(counts_epochs, finite_data(s) && budget_of_steps(s))
IF(counts_steps, (s->train.epochs == 0 || !finite_data(s)) && budget_of_steps(s))
IF(has_curriculum, s->train.curriculum != CURRICULUM_NONE)
IF(curriculum_by_schedule, s->train.curriculum == CURRICULUM_SCHEDULE)
IF(curriculum_by_validation, s->train.curriculum == CURRICULUM_VALIDATION)
#undef IF

// Reals stay where single precision holds them, integers where a double is exact.
#define REAL_LIMIT 1e30
#define INT_LIMIT  9007199254740991.0

#define FIELD(part, member) .section = SECTION_##part, .offset = offsetof(struct settings, member)
#define INT(standard_value, from, to)                                                                                  \
    .type = SETTING_INT, .standard = {.i = (standard_value)}, .low = (from), .high = (to)
#define REAL(standard_value, from, to)                                                                                 \
    .type = SETTING_REAL, .standard = {.r = (standard_value)}, .low = (from), .high = (to)
#define CHOICE(standard_value, names)                                                                                  \
    .type = SETTING_CHOICE, .standard = {.choice = (standard_value)}, .choices = (names), .unit = "1"
#define BOOL(standard_value) .type = SETTING_BOOL, .standard = {.b = (standard_value)}, .unit = "1"
#define TEXT                 .type = SETTING_TEXT, .standard = {.text = ""}

const struct setting settings_table[] = {
    {"seed", FIELD(SWEEP, seed), .type = SETTING_UINT, .standard = {.u = 1}, .high = 18446744073709551615.0,
     .unit = "1", .help = "key of every random draw of the sweep"},
    {"replicate", FIELD(SWEEP, replicate), INT(0, 0, INT_LIMIT), .unit = "1", .assigned = true,
     .help = "which of the repetitions of a setting; the same replicate of two settings sees the same draws"},
    {"data_seed", FIELD(SWEEP, data_seed), INT(-1, 0, INT_LIMIT), .unit = "1",
     .help = "key of data and labels in place of the replicate, to vary initial weights alone"},
    {"init_seed", FIELD(SWEEP, init_seed), INT(-1, 0, INT_LIMIT), .unit = "1",
     .help = "key of the initial weights in place of the replicate, to vary data alone"},

    {"init_source", FIELD(SWEEP, init_source), .type = SETTING_UINT, .high = 18446744073709551615.0, .unit = "1",
     .assigned = true, .help = "hash of the trial and step whose weights training starts from; 0: fresh draws"},

    {"file_hash", FIELD(SWEEP, task.file_hash), .type = SETTING_UINT, .high = 18446744073709551615.0, .unit = "1",
     .applies = is_file, .help = "task file: hash that the file has to have; 0: the one that it has"},

    {"task", FIELD(TASK, task.kind), CHOICE(TASK_SIGNAL, task_names), .help = "what is learned"},
    {"train_length", FIELD(TASK, task.train_length), INT(8, 1, 65536), .unit = "tokens",
     .help = "length n of the training sequences, of the longest where they differ"},
    {"length_distribution", FIELD(TASK, task.length_distribution), CHOICE(LENGTHS_FIXED, distribution_names),
     .help = "lengths of training sequences: all n, uniform, exponential (e^(-3l/n)), or drawn from a list"},
    {"min_length", FIELD(TASK, task.min_length), INT(1, 1, 65536), .unit = "tokens", .applies = draws_lengths,
     .help = "uniform, exponential: length of the shortest training sequence"},
    {"lengths", FIELD(TASK, task.lengths), TEXT, .levels = 1, .unit = "tokens", .applies = lists_lengths,
     .help = "list: the lengths to draw from, all entries with the same chance, as in [1, 2, 3, 3]"},
    {"length_mixing", FIELD(TASK, task.length_mixing), CHOICE(MIXING_SAMPLES, mixing_names), .applies = mixes_lengths,
     .help = "of a stream: whether each sequence draws its length, or each batch one for all"},
    {"snr", FIELD(TASK, task.snr), REAL(64, 0, REAL_LIMIT), .open_low = true, .infinity = true, .unit = "1",
     .applies = uses_snr, .help = "squared norm of the signal over the noise variance per coordinate; .inf: no noise"},
    {"noise_rate", FIELD(TASK, task.noise_rate), REAL(0.1, 0, 1), .open_high = true, .unit = "1",
     .help = "probability that a training label is replaced by another"},
    {"noise_on", FIELD(TASK, task.noise_on), CHOICE(NOISE_TARGET, noise_places), .applies = is_tokens,
     .help = "label noise: on each target by itself, on a sequence's last, or on the state, which carries it on"},
    {"samples", FIELD(TASK, task.samples), INT(80, 1, 1e7), .unit = "sequences", .applies = uses_samples,
     .help = "size N of the training set; under data stream that of a batch with batch_size 0"},
    {"dim", FIELD(TASK, task.dim), INT(64, 3, 65536), .unit = "1", .applies = is_signal,
     .help = "signal: width d of an input vector; the two signals lie on coordinates 0 and 1"},
    {"signal_tokens", FIELD(TASK, task.signal_tokens), REAL(1, 0, 65536), .open_low = true, .unit = "1",
     .applies = is_signal,
     .help = "tokens that carry the signal: a count from 1, or below 1 a share of the sequence (at least one token)"},
    {"signal_position", FIELD(TASK, task.signal_position), CHOICE(POSITION_RANDOM, position_names),
     .applies = is_signal, .help = "where signal tokens stand: drawn for each sequence, or at its start"},
    {"signal_geometry", FIELD(TASK, task.signal_geometry), CHOICE(GEOMETRY_ORTHOGONAL, geometry_names),
     .applies = is_signal,
     .help = "the signals of the two labels: orthogonal with equal norm, or each the negative of the other"},
    {"project_noise", FIELD(TASK, task.project_noise), BOOL(true), .applies = is_signal,
     .help = "whether noise has no component in the plane of the signals"},
    {"signal_noise", FIELD(TASK, task.signal_noise), BOOL(false), .applies = is_signal,
     .help = "whether signal tokens carry noise as well"},

    {"modulus", FIELD(TASK, task.modulus), INT(5, 2, 65536), .unit = "1", .applies = has_modulus,
     .help = "accumulator, modular, modular_arithmetic_brackets, solve_equation: numbers are below it, and counted "
             "modulo it"},
    {"supervision", FIELD(TASK, task.supervision), CHOICE(SUPERVISION_STEPS, supervision_names),
     .applies = is_supervised,
     .help = "targets of a task with a state, or of a file: at every position, or at the last alone"},
    {"begin_token", FIELD(TASK, task.begin_token), BOOL(false), .applies = has_state,
     .help = "whether a symbol of its own opens every sequence"},
    {"query_token", FIELD(TASK, task.query_token), BOOL(false), .applies = answers_last,
     .help = "supervision final: whether a symbol of its own ends every sequence, where the answer is read"},
    {"automaton", FIELD(TASK, task.automaton), CHOICE(AUTOMATON_PARITY, automaton_names), .applies = is_automaton,
     .help = "automaton: which one; cyclic to alternating5 are the product of a group's elements"},
    {"order", FIELD(TASK, task.order), INT(5, 2, 256), .unit = "1", .applies = has_order,
     .help = "automaton: n of the cyclic group of n elements, the dihedral of 2n, the symmetric of n points"},
    {"group_symbols", FIELD(TASK, task.group_symbols), CHOICE(SYMBOLS_ELEMENTS, group_symbols_names),
     .applies = is_group, .help = "automaton: symbols of a group, all of its elements or two that generate it"},
    {"table", FIELD(TASK, task.table), TEXT, .levels = 2, .unit = "1", .applies = is_table,
     .help = "automaton table: a row of next states for each state, one for each symbol, as in [[0, 1], [1, 0]]"},
    {"outputs", FIELD(TASK, task.outputs), TEXT, .levels = 1, .unit = "1", .applies = is_table,
     .help = "automaton table: the class of each state, as in [0, 1]; empty: the number of the state"},
    {"start", FIELD(TASK, task.start), INT(0, 0, 511), .unit = "1", .applies = is_table,
     .help = "automaton table: the state before the first symbol"},
    {"bracket_types", FIELD(TASK, task.bracket_types), INT(2, 2, 1024), .unit = "1", .applies = is_brackets,
     .help = "brackets: kinds of brackets; the vocabulary is twice as large"},
    {"depth", FIELD(TASK, task.depth), INT(4, 1, 256), .unit = "1", .applies = is_brackets,
     .help = "brackets: the most that are open at once in training and validation"},
    {"test_depth", FIELD(TASK, task.test_depth), INT(0, 0, 256), .unit = "1", .applies = is_brackets,
     .help = "brackets: the most that are open at once in test sequences; 0: as many as in training"},
    {"base", FIELD(TASK, task.base), INT(10, 2, 65536), .unit = "1", .applies = has_numbers,
     .help = "addition, multiplication: base of the digits, each a symbol of its own"},
    {"test_base", FIELD(TASK, task.test_base), INT(0, 0, 65536), .unit = "1", .applies = has_numbers,
     .help = "addition, multiplication: base in testing; 0: as in training"},
    {"digit_order", FIELD(TASK, task.digit_order), CHOICE(DIGITS_PLAIN, digit_orders), .applies = has_numbers,
     .help = "addition, multiplication: numbers are written from their highest digit, or reversed, from the lowest"},
    {"zero_padding", FIELD(TASK, task.zero_padding), BOOL(true), .applies = has_numbers,
     .help = "addition, multiplication: whether numbers have all their digits, or no leading zeros"},
    {"index_hints", FIELD(TASK, task.index_hints), INT(0, 0, 65536), .unit = "1", .applies = has_numbers,
     .help = "addition, multiplication: symbols to number the digits with, one before each; 0: none"},
    {"operand_offset", FIELD(TASK, task.operand_offset), INT(0, 0, 65535), .unit = "digits", .applies = has_offset,
     .help = "addition, multiplication: by how many digits the second operand is shorter than the first"},
    {"test_operand_offset", FIELD(TASK, task.test_operand_offset), INT(-1, -1, 65535), .unit = "digits",
     .applies = has_offset, .help = "addition, multiplication: the same in testing; -1: as in training"},
    {"multiplier_digits", FIELD(TASK, task.multiplier_digits), INT(0, 0, 65536), .unit = "digits",
     .applies = is_multiplication,
     .help = "multiplication: digits of the second operand, whatever the length; 0: as many as of the first"},
    {"test_modulus", FIELD(TASK, task.test_modulus), INT(0, 0, 65536), .unit = "1", .applies = is_modular,
     .help = "modular: the modulus in testing; 0: as in training"},
    {"alphabet", FIELD(TASK, task.alphabet), INT(2, 2, 1024), .unit = "1", .applies = has_letters,
     .help = "letters of reverse_string, duplicate_string, missing_duplicate_string, odds_first and bucket_sort"},

    {"path", FIELD(TASK, task.path), TEXT, .unit = "1", .unhashed = true, .applies = is_file,
     .help = "file: the .npz file with the data, seen from the current folder"},
    {"file_vocabulary", FIELD(TASK, task.file_vocabulary), INT(0, 0, VOCABULARY_LIMIT), .unit = "1", .assigned = true,
     .unhashed = true, .applies = is_file, .help = "file: how many tokens there are"},
    {"file_classes", FIELD(TASK, task.file_classes), INT(0, 0, VOCABULARY_LIMIT), .unit = "1", .assigned = true,
     .unhashed = true, .applies = is_file, .help = "file: how many classes targets have"},
    {"file_shortest", FIELD(TASK, task.file_shortest), INT(0, 0, 65536), .unit = "tokens", .assigned = true,
     .unhashed = true, .applies = is_file, .help = "file: length of the shortest training sequence"},
    {"file_relevant", FIELD(TASK, task.file_relevant), INT(0, 0, INT_LIMIT), .unit = "1", .assigned = true,
     .unhashed = true, .applies = is_file, .help = "file: the most relevant positions of a sequence"},
    {"file_masked", FIELD(TASK, task.file_masked), BOOL(false), .assigned = true, .unhashed = true, .applies = is_file,
     .help = "file: whether some targets do not count"},

    {"model", FIELD(MODEL, model.kind), CHOICE(MODEL_TWO_LAYER, model_names), .help = "what learns"},
    {"encoding", FIELD(MODEL, model.encoding), CHOICE(ENCODING_NONE, encoding_names), .applies = has_attention,
     .help = "positional encoding"},
    {"head_dim", FIELD(MODEL, model.head_dim), INT(16, 1, 4096), .unit = "1", .applies = is_two_layer,
     .help = "two_layer: width of queries and keys"},
    {"value_dim", FIELD(MODEL, model.value_dim), INT(8, 1, 4096), .unit = "1", .applies = is_two_layer,
     .help = "two_layer: width of values"},
    {"readout", FIELD(MODEL, model.readout), CHOICE(READOUT_FIXED, readout_names), .applies = is_two_layer,
     .help = "two_layer: weights from values to the output: alternating +1 and -1 for good, or trained"},
    {"activation", FIELD(MODEL, model.activation), CHOICE(ACTIVATION_NONE, activation_names), .applies = is_two_layer,
     .help = "two_layer: function between values and read-out"},
    {"freeze_attention", FIELD(MODEL, model.freeze_attention), BOOL(false), .applies = is_two_layer,
     .help = "two_layer: whether queries and keys keep their initial weights: a control for what attention does"},
    {"init_scale", FIELD(MODEL, model.init_scale), REAL(0.01, 0, REAL_LIMIT), .unit = "1", .applies = is_two_layer,
     .help = "two_layer: standard deviation of the initial weights"},
    {"output_scale", FIELD(MODEL, model.output_scale), REAL(1, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .help = "factor on the output: large trains lazily, small learns features"},
    {"relative_clip", FIELD(MODEL, model.relative_clip), INT(16, 1, 65536), .unit = "tokens", .applies = uses_relative,
     .help = "relative: distances beyond it share one vector"},
    {"alibi_slope", FIELD(MODEL, model.alibi_slope), REAL(0.00390625, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = uses_alibi_slope,
     .help = "alibi in two_layer: what a score loses per token of distance; a transformer has a slope for each head"},
    {"rope_base", FIELD(MODEL, model.rope_base), REAL(10000, 1, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = uses_rope, .help = "rope: base of the geometric series of wavelengths"},
    {"sinusoidal_scale", FIELD(MODEL, model.sinusoidal_scale), REAL(1, 0, REAL_LIMIT), .unit = "1",
     .applies = uses_sinusoidal, .help = "sinusoidal: amplitude of what is added to the input"},

    {"layers", FIELD(MODEL, model.layers), INT(2, 1, 64), .unit = "1", .applies = is_deep,
     .help = "transformer, rnn, lstm: blocks of attention and feed-forward network, or recurrent layers"},
    {"width", FIELD(MODEL, model.width), INT(64, 1, 8192), .unit = "1", .applies = is_deep,
     .help = "transformer, rnn, lstm: width of the residual stream, or of a recurrent state"},
    {"embeddings", FIELD(MODEL, model.embeddings), CHOICE(EMBEDDINGS_TRAINED, embeddings_names), .applies = embeds,
     .help = "vectors of tokens: trained, or frozen unit vectors with noise by snr"},
    {"heads", FIELD(MODEL, model.heads), INT(4, 1, 256), .unit = "1", .applies = is_transformer,
     .help = "transformer: attention heads, which divide width"},
    {"ffn_factor", FIELD(MODEL, model.ffn_factor), INT(4, 1, 64), .unit = "1", .applies = is_transformer,
     .help = "transformer: hidden units of a feed-forward network, as a multiple of width"},
    {"norm", FIELD(MODEL, model.norm), CHOICE(NORM_LAYER, norm_names), .applies = is_transformer,
     .help = "transformer: normalisation before each branch and before the head, LayerNorm or RMSNorm"},
    {"ffn_activation", FIELD(MODEL, model.ffn_activation), CHOICE(FFN_GELU, ffn_names), .applies = is_transformer,
     .help = "transformer: function of the feed-forward networks, GELU exact or in its tanh form, or ReLU"},
    {"attention_mask", FIELD(MODEL, model.attention_mask), CHOICE(MASK_AUTO, mask_names), .applies = is_transformer,
     .help = "transformer: which keys a query sees; auto: causal on tokens, bidirectional on signal"},
    {"pooling", FIELD(MODEL, model.pooling), CHOICE(POOLING_AUTO, pooling_names), .applies = is_deep,
     .help =
         "what the output reads; auto: the mean on signal, else every position, or the last under supervision final"},
    {"head_bias", FIELD(MODEL, model.head_bias), BOOL(true), .applies = is_deep,
     .help = "transformer, rnn, lstm: whether the head has a bias"},
    {"attention_bias", FIELD(MODEL, model.attention_bias), BOOL(true), .applies = is_transformer,
     .help = "transformer: whether queries, keys, values and attention's output have biases"},
    {"tied", FIELD(MODEL, model.tied), BOOL(false), .applies = ties,
     .help = "whether the head's weights are the trained embeddings of the first symbols, one for each class"},
    {"dropout", FIELD(MODEL, model.dropout), REAL(0, 0, 1), .open_high = true, .unit = "1", .applies = is_deep,
     .help =
         "probability that a unit is dropped in training. transformer: of the input after positions, of attention's "
         "weights and of what both branches add; rnn, lstm: of the input and between layers"},
    {"attention_noise", FIELD(MODEL, model.attention_noise), REAL(0, 0, REAL_LIMIT), .unit = "1",
     .applies = is_transformer, .help = "transformer: standard deviation of Gaussian noise on the scores in training"},
    {"init_gain", FIELD(MODEL, model.init_gain), REAL(1, 0, REAL_LIMIT), .unit = "1", .applies = is_deep,
     .help = "transformer, rnn, lstm: factor on the initial weight matrices"},
    {"value_gain", FIELD(MODEL, model.value_gain), REAL(1, 0, REAL_LIMIT), .unit = "1", .applies = is_transformer,
     .help = "transformer: factor on the initial value weights beside init_gain; near 0 attention starts silent"},
    {"parametrization", FIELD(MODEL, model.parametrization), CHOICE(PARAMETRIZATION_STANDARD, parametrization_names),
     .applies = is_transformer, .help = "transformer: how initial weights and learning rates scale with the width"},
    {"base_width", FIELD(MODEL, model.base_width), INT(64, 1, 8192), .unit = "1", .applies = scales_width,
     .help = "ntk, mup: the width at which they equal the standard parametrization"},
    {"position_scale", FIELD(MODEL, model.position_scale), REAL(0.02, 0, REAL_LIMIT), .unit = "1",
     .applies = learns_positions,
     .help = "transformer: standard deviation of the initial vectors of absolute, relative and transformer_xl"},
    {"t5_buckets", FIELD(MODEL, model.t5_buckets), INT(32, 4, 4096), .unit = "1", .applies = uses_t5,
     .help = "t5: buckets of distances, in both directions together"},
    {"t5_distance", FIELD(MODEL, model.t5_distance), INT(128, 2, 1e6), .unit = "tokens", .applies = uses_t5,
     .help = "t5: distance from which all share the last bucket"},
    {"fire_width", FIELD(MODEL, model.fire_width), INT(32, 1, 1024), .unit = "1", .applies = uses_fire,
     .help = "fire: hidden units of the function of relative distance"},
    {"fire_threshold", FIELD(MODEL, model.fire_threshold), REAL(512, 0, REAL_LIMIT), .open_low = true, .unit = "tokens",
     .applies = uses_fire,
     .help = "fire: initial threshold L; distances are relative to the larger of L and the query's position"},
    {"random_positions", FIELD(MODEL, model.random_positions), INT(0, 0, 1e6), .unit = "tokens",
     .applies = uses_positions,
     .help = "randomised positions: a sorted random subset of so many, at test too; 0: positions as they are"},
    {"rope_scaling", FIELD(MODEL, model.rope_scaling), CHOICE(ROPE_SCALING_NONE, rope_scaling_names),
     .applies = uses_rope, .help = "rope: what is done to the angles of inputs beyond the train length"},

    {"optimizer", FIELD(TRAIN, train.optimizer), CHOICE(OPTIMIZER_GD, optimizer_names),
     .help = "gradient descent, plain or with momentum, Adam, or AdamW"},
    {"learning_rate", FIELD(TRAIN, train.learning_rate), REAL(0.05, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .help = "factor on the gradient in each step"},
    {"momentum", FIELD(TRAIN, train.momentum), REAL(0.9, 0, 1), .open_high = true, .unit = "1",
     .applies = uses_momentum, .help = "momentum: what a step keeps of the one before"},
    {"steps", FIELD(TRAIN, train.steps), INT(800, 0, STEPS_LIMIT), .unit = "steps", .applies = counts_steps,
     .help = "training steps"},
    {"budget", FIELD(TRAIN, train.budget), CHOICE(BUDGET_STEPS, budget_names),
     .help = "what ends training: its steps, the tokens that it read, or the operations that it took"},
    {"budget_tokens", FIELD(TRAIN, train.budget_tokens), INT(1000000, 1, INT_LIMIT), .unit = "tokens",
     .applies = budget_of_tokens, .help = "budget tokens: training ends with the step that reaches so many"},
    {"budget_flops", FIELD(TRAIN, train.budget_flops), REAL(1e12, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = budget_of_flops, .help = "budget flops: training ends with the step that reaches so many operations"},
    {"curriculum", FIELD(TRAIN, train.curriculum), CHOICE(CURRICULUM_NONE, curriculum_names),
     .help = "whether training begins with short sequences: longer by schedule, or with accuracy on validation"},
    {"curriculum_start", FIELD(TRAIN, train.curriculum_start), INT(2, 1, 65536), .unit = "tokens",
     .applies = has_curriculum, .help = "curriculum: length of the longest sequences at first"},
    {"curriculum_share", FIELD(TRAIN, train.curriculum_share), REAL(0.4, 0, 1), .unit = "1",
     .applies = curriculum_by_schedule,
     .help = "curriculum schedule: share of the training at which train_length is reached, growing evenly"},
    {"curriculum_threshold", FIELD(TRAIN, train.curriculum_threshold), REAL(0.95, 0, 1), .unit = "1",
     .applies = curriculum_by_validation,
     .help = "curriculum validation: accuracy on validation sequences of the present length that lengthens them"},
    {"curriculum_increment", FIELD(TRAIN, train.curriculum_increment), INT(1, 1, 65536), .unit = "tokens",
     .applies = curriculum_by_validation, .help = "curriculum validation: by how much sequences get longer"},
    {"curriculum_every", FIELD(TRAIN, train.curriculum_every), INT(50, 1, STEPS_LIMIT), .unit = "steps",
     .applies = curriculum_by_validation,
     .help = "curriculum validation: steps from one look to the next; looks count in no budget"},
    {"curriculum_keep", FIELD(TRAIN, train.curriculum_keep), REAL(0, 0, 1), .unit = "1", .applies = has_curriculum,
     .help = "curriculum: share of the samples that stay no longer than at first"},
    {"epochs", FIELD(TRAIN, train.epochs), INT(0, 0, 1e9), .unit = "1", .applies = counts_epochs,
     .help = "passes over the training set, in place of steps; 0: steps counts"},
    {"data", FIELD(TRAIN, train.data), CHOICE(DATA_FINITE, data_names),
     .help = "a finite training set, or fresh samples in every step"},
    {"batch_size", FIELD(TRAIN, train.batch_size), INT(0, 0, 1e7), .unit = "sequences",
     .help = "sequences of a micro-batch; 0: the whole training set"},
    {"accumulation", FIELD(TRAIN, train.accumulation), INT(1, 1, 1e6), .unit = "1",
     .help = "micro-batches whose gradients make one step"},
    {"beta1", FIELD(TRAIN, train.beta1), REAL(0.9, 0, 1), .open_high = true, .unit = "1", .applies = uses_adam,
     .help = "adam, adamw: decay of the mean of gradients"},
    {"beta2", FIELD(TRAIN, train.beta2), REAL(0.999, 0, 1), .open_high = true, .unit = "1", .applies = uses_adam,
     .help = "adam, adamw: decay of the mean of their squares"},
    {"epsilon", FIELD(TRAIN, train.epsilon), REAL(1e-8, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = uses_adam, .help = "adam, adamw: added to the root of the mean of squares"},
    {"weight_decay", FIELD(TRAIN, train.weight_decay), REAL(0, 0, REAL_LIMIT), .unit = "1",
     .help = "weight decay: in adamw apart from the gradient, else added to it"},
    {"clip", FIELD(TRAIN, train.clip), REAL(INFINITY, 0, REAL_LIMIT), .open_low = true, .infinity = true, .unit = "1",
     .help = "largest norm of the gradient, to which longer ones are cut; .inf: none"},
    {"schedule", FIELD(TRAIN, train.schedule), CHOICE(SCHEDULE_CONSTANT, schedule_names),
     .help = "course of the learning rate after its warm-up"},
    {"warmup", FIELD(TRAIN, train.warmup), REAL(0, 0, STEPS_LIMIT), .unit = "steps",
     .help = "linear warm-up: steps from 1, or below 1 a share of the steps"},
    {"final_rate", FIELD(TRAIN, train.final_rate), REAL(0, 0, 1), .unit = "1", .applies = uses_cosine,
     .help = "cosine: the last learning rate as a share of the first"},
    {"decay_every", FIELD(TRAIN, train.decay_every), REAL(0.25, 0, STEPS_LIMIT), .open_low = true, .unit = "steps",
     .applies = uses_decay, .help = "step: steps between decays, or below 1 a share of the steps"},
    {"decay_factor", FIELD(TRAIN, train.decay_factor), REAL(0.5, 0, 1), .open_low = true, .unit = "1",
     .applies = uses_decay, .help = "step: what the learning rate is multiplied by"},

    {"points", FIELD(EVALUATE, evaluate.points), INT(64, 1, 100000), .unit = "1",
     .help = "evaluations along training, at log-spaced steps made distinct, the first and the last among them"},
    {"test_samples", FIELD(EVALUATE, evaluate.test_samples), INT(1000, 200, 1e7), .unit = "sequences",
     .help = "test sequences of each length at the end of training and at the loss-matched points"},
    {"curve_samples", FIELD(EVALUATE, evaluate.curve_samples), INT(200, 200, 1e7), .unit = "sequences",
     .help = "the first of the test sequences, evaluated all along training"},
    {"validation_samples", FIELD(EVALUATE, evaluate.validation_samples), INT(1000, 200, 1e7), .unit = "sequences",
     .help = "validation sequences of the training length, evaluated all along training"},
};

const size_t settings_count = sizeof settings_table / sizeof settings_table[0];
_Static_assert(sizeof settings_table / sizeof settings_table[0] <= SETTINGS_LIMIT, "raise SETTINGS_LIMIT");
