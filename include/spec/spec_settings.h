// SPDX-License-Identifier: MIT
// A trial's settings as plain structs, and the one table whose rows drive parsing, help, identity, wire and columns.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include "spec_kinds.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_settings {
    int kind;                // enum task_kind
    int64_t train_length;    // n: the longest training sequence, in the task's own units
    int length_distribution; // enum length_distribution, of training sequences
    int64_t min_length;      // the shortest of uniform and exponential
    const char *lengths;     // list: lengths apart by spaces, likelier where repeated
    int length_mixing;       // enum length_mixing
    double snr;              // ‖signal‖² / σ²; infinity means no noise
    double noise_rate;       // η, the probability that a training label is replaced
    int noise_on;            // enum noise_place
    int64_t samples;         // N, size of the training set
    int64_t dim;             // d, width of an input vector
    double signal_tokens;    // >= 1: a count, kept as T grows; < 1: a share of the tokens, at least one
    int signal_position;     // enum signal_position
    int signal_geometry;     // enum signal_geometry
    bool project_noise;      // noise has no component in the signal plane
    bool signal_noise;       // signal tokens carry noise too
    int64_t modulus;         // accumulator: m; modular: of the sum
    int supervision;         // enum supervision_kind, of tasks with a state
    bool begin_token;        // a symbol of its own opens every sequence
    bool query_token;        // final: a symbol of its own ends every sequence, where the answer is read
    int automaton;           // enum automaton_kind
    int64_t order;           // automaton: n of the groups Z_n, D_n and S_n
    int group_symbols;       // enum group_symbols, of groups
    const char *table;       // table: next states, rows and columns as in spec_automaton.h
    const char *outputs;     // table: the class of each state; empty: its number
    int64_t start;           // table: the state before the first symbol
    int64_t bracket_types;
    int64_t depth, test_depth; // brackets: most brackets open at once; test_depth 0: the same in testing
    int64_t base, test_base;   // addition, multiplication: of the digits; test_base 0: the same in testing
    int digit_order;           // enum digit_order
    bool zero_padding;         // numbers have all their digits, the highest of them 0 or not
    int64_t index_hints;       // symbols that number the digits; 0: none
    int64_t operand_offset, test_operand_offset; // digits less of the second operand; -1: the same in testing
    int64_t multiplier_digits; // multiplication: of the second operand; 0: as many as addition's would have
    int64_t test_modulus;      // modular; 0: the same in testing
    int64_t alphabet;          // letters of the tasks on strings
    const char *path;          // file: of the data
    uint64_t file_hash;        // file: of its bytes; 0: nobody has looked yet. What follows was seen then
    int64_t file_vocabulary, file_classes;
    int64_t file_shortest; // tokens of the shortest training sequence
    int64_t file_relevant; // the most relevant positions of a sequence
    bool file_masked;      // some targets do not count
};

struct model_settings {
    int kind;     // enum model_kind
    int encoding; // enum encoding_kind
    int64_t head_dim, value_dim;
    int readout;             // enum readout_kind
    int activation;          // enum activation_kind
    bool freeze_attention;   // W_Q and W_K keep their initial values
    double init_scale;       // standard deviation of the initial weights
    double output_scale;     // factor on f(X): lazy (large) to rich (small)
    int64_t relative_clip;   // relative: distances beyond it share one vector
    double alibi_slope;      // alibi: score -= slope * |i - j|
    double rope_base;        // rope: base of the frequencies
    double sinusoidal_scale; // sinusoidal: amplitude
    // transformer, rnn, lstm
    int64_t layers, width;
    int64_t heads, ffn_factor;
    int embeddings;           // enum embeddings_kind, of tokens; orthonormal: frozen, and noisy by snr
    int norm;                 // enum norm_kind
    int ffn_activation;       // enum ffn_kind
    int attention_mask;       // enum mask_kind; auto: causal on tokens, bidirectional on vectors
    int pooling;              // enum pooling_kind; auto: mean on signal, per_position under steps, last under final
    bool head_bias;           // the head adds a bias
    bool attention_bias;      // queries, keys, values and attention's output have biases
    bool tied;                // the head's weights are the embeddings, which are trained
    double dropout;           // share of units dropped in training; its help says where
    double attention_noise;   // standard deviation of Gaussian noise on the scores in training
    double init_gain;         // factor on the initial weight matrices
    double value_gain;        // factor on the initial value weights beside it
    int parametrization;      // enum parametrization_kind
    int64_t base_width;       // ntk and mup: the width at which they equal standard
    double position_scale;    // standard deviation of learned positions (absolute, relative)
    int64_t t5_buckets;       // t5: buckets for distances, of both directions together
    int64_t t5_distance;      // t5: distance from which all share the last bucket
    int64_t fire_width;       // fire: hidden units of its function
    double fire_threshold;    // fire: initial length L below which distances are not normalised by the position
    int64_t random_positions; // L_max of randomised positions, 0: none
    int rope_scaling;         // enum rope_scaling_kind, where the test length exceeds the train length
};

struct train_settings {
    int optimizer; // enum optimizer_kind
    double learning_rate, momentum;
    int budget; // enum budget_kind: what ends training
    int64_t steps;
    int64_t budget_tokens;        // tokens read, after which training ends
    double budget_flops;          // operations of training steps, after which it ends
    int curriculum;               // enum curriculum_kind, over the length of training sequences
    int64_t curriculum_start;     // the longest at first
    double curriculum_share;      // schedule: share of training at which train_length is reached
    double curriculum_threshold;  // validation: accuracy that makes sequences longer
    int64_t curriculum_increment; // validation: by how much
    int64_t curriculum_every;     // validation: steps between looks
    double curriculum_keep;       // share of samples that stay as short as at first
    int64_t epochs;               // where not 0: passes over the training set, in place of steps
    int data;                     // enum data_kind
    int64_t batch_size;           // samples a step and micro-batch; 0: all of them
    int64_t accumulation;         // micro-batches a step
    double beta1, beta2, epsilon;
    double weight_decay;
    double clip;         // largest norm of the gradient; infinity: none
    int schedule;        // enum schedule_kind
    double warmup;       // >= 1: steps of linear warm-up; < 1: share of the steps
    double final_rate;   // cosine: the last learning rate as a share of the first
    double decay_every;  // step: >= 1 steps, < 1 share of the steps
    double decay_factor; // step: what the rate is multiplied by
};

struct evaluate_settings {
    int64_t points;             // evaluations along training, see evaluation steps in docs/science.md
    int64_t test_samples;       // sequences of each test length at the final and the loss-matched points
    int64_t curve_samples;      // the first of them, used along the curve
    int64_t validation_samples; // sequences at T = n
};

struct settings {
    uint64_t seed;
    int64_t replicate;
    int64_t data_seed, init_seed; // -1: the replicate
    uint64_t init_source;         // of the trial and step whose weights training starts from; 0: fresh draws
    struct task_settings task;
    struct model_settings model;
    struct train_settings train;
    struct evaluate_settings evaluate;
};

enum setting_section { SECTION_SWEEP, SECTION_TASK, SECTION_MODEL, SECTION_TRAIN, SECTION_EVALUATE, SECTIONS };
extern const char *const section_names[SECTIONS]; // "", "task", "model", "train", "evaluate"

enum setting_type { SETTING_INT, SETTING_UINT, SETTING_REAL, SETTING_CHOICE, SETTING_BOOL, SETTING_TEXT };

union setting_value {
    int64_t i;
    uint64_t u;
    double r;
    int choice;
    bool b;
    const char *text; // zero-terminated, never NULL, at most SETTING_BYTES; not owned: it has to outlive the settings
};
enum { SETTING_BYTES = 65535 };

// One row. `name` is unique without its section. In its section the kind settings are also written `kind`.
struct setting {
    const char *name;
    enum setting_section section;
    enum setting_type type;
    size_t offset;                // into struct settings
    union setting_value standard; // the default; frozen, since identities leave out settings that have it
    double low, high;             // inclusive range of numbers, but
    bool open_low, open_high;     // the bound itself is excluded
    bool infinity;                // .inf is allowed beyond `high`
    bool assigned;                // set by the grid alone (replicate): no user writes it, help leaves it out
    bool unhashed;                // no part of the identity: where a file lies
    int levels;                   // of a text: 1 for a list of integers, 2 for one of such lists; 0: taken as written
    const char *const *choices;   // NULL-terminated, for SETTING_CHOICE; the index is the value
    const char *unit;             // "1", "tokens", "steps", …
    const char *help;             // one line
    bool (*applies)(const struct settings *settings); // NULL: always. Where false, the setting has no effect at all
};

extern const struct setting settings_table[];
extern const size_t settings_count;

// The row of `name` (`length` bytes, not zero-terminated), or NULL; assigned rows are found too.
const struct setting *setting_find(const char *name, size_t length);
// The same within one section, where `kind` stands for `task` in the section task and for `model` in model.
const struct setting *setting_find_in(enum setting_section section, const char *name, size_t length);
// The nearest name that a user may write in the section (`kind` among them) or, with `any_section`, anywhere; NULL when
// none is near.
const char *setting_nearest(const char *name, enum setting_section section, bool any_section);
size_t setting_index(const struct setting *setting); // position in settings_table

void settings_defaults(struct settings *ret_settings);
union setting_value setting_get(const struct setting *setting, const struct settings *settings);
void setting_put(const struct setting *setting, struct settings *settings, union setting_value value);

// Text (`length` bytes) to value with type, range and choices checked: STATUS_INVALID says what is wrong and what is
// allowed, without a place. Integers may be written as integral reals ("1e6"), booleans as true/false, yes/no, on/off
// in any case; NaN is refused and -0 becomes 0. A text is any without control characters; its value is `text` itself,
// which then has to end with a zero at `length`.
enum status_code setting_parse(const struct setting *setting, const char *text, size_t length,
                               union setting_value *ret_value, struct status *status) MUST_CHECK;
// Appends the one text of a list of integers, or of such lists (`levels` > 0), that stands for them however they are
// written: decimal numbers one space apart, rows "; " apart. What is missing, "-", "~" or "null", is "~".
// STATUS_INVALID tells of the first word that is no integer, without a place.
enum status_code setting_rows(const struct setting *setting, const char *text, size_t length, struct bytes *ret_text,
                              struct status *status) MUST_CHECK;
// A value computed elsewhere (ranges): the same checks on its number. Choices, booleans and texts have no ranges and
// are refused.
enum status_code setting_from_real(const struct setting *setting, double number, union setting_value *ret_value,
                                   struct status *status) MUST_CHECK;

// Canonical text: integers in decimal, the shortest decimal that reads back as the same real ("inf" for infinity, "0"
// for -0), choices by name, true or false. setting_parse reads it back to the same value. Returns `ret_text`, or of a
// text the value itself, which may be longer: read what is returned.
enum { SETTING_TEXT_SIZE = 48 };
const char *setting_text(const struct setting *setting, union setting_value value, char ret_text[SETTING_TEXT_SIZE]);
// The same for people: a long text is cut, with an ellipsis behind. Returns `ret_text`.
char *setting_brief(const struct setting *setting, union setting_value value, char ret_text[SETTING_TEXT_SIZE]);
// Order of two values, choices by index, texts by bytes: < 0, 0, > 0.
int setting_compare(const struct setting *setting, union setting_value a, union setting_value b);
// A number's value, a choice's index; NaN for a text.
double setting_real(const struct setting *setting, union setting_value value);
// Whether the setting has any effect beside the others; where not, it is no part of the identity.
bool setting_applies(const struct setting *setting, const struct settings *settings);
bool setting_is_default(const struct setting *setting, const struct settings *settings);
// "integer from 1 to 65536", "one of none, rope": for help and errors, cut to `size` bytes with the final zero. Returns
// `ret_text`.
enum { SETTING_DOMAIN_SIZE = 320 };
char *setting_domain(const struct setting *setting, char *ret_text, size_t size);

// A contradiction between settings that are each in range. `blamed` has the rows of which one has to change, NULL after
// the last, the likeliest first: the caller shows the line of the first one that was written.
enum { FAULT_BLAMED = 4 };
struct settings_fault {
    const struct setting *blamed[FAULT_BLAMED];
    struct status why; // names the settings, their values and the remedy
};
// The next fault from *at on, which starts at 0 and moves behind it; false when there is none: a width that heads do
// not divide, a task that the model cannot read, more warm-up than steps. Settings that do not apply are never at
// fault, but for epochs under data stream, where one would take them for the length of training.
bool settings_next_fault(const struct settings *settings, size_t *at, struct settings_fault *ret_fault) MUST_CHECK;
// Whether the model cannot take test sequences of `test_length` tokens: beyond MODEL_LENGTH_LIMIT in a transformer, or
// more than its random positions; or the task cannot make them. `blamed` are the settings that may change in place of
// the test length.
bool settings_length_fault(const struct settings *settings, int64_t test_length,
                           struct settings_fault *ret_fault) MUST_CHECK;
// The first fault alone, as a status. On failure *ret_setting is the row most to blame.
enum status_code settings_check(const struct settings *settings, const struct setting **ret_setting,
                                struct status *status) MUST_CHECK;
enum { MODEL_LENGTH_LIMIT = 65536, VOCABULARY_LIMIT = 65536, STEPS_LIMIT = 1000000000 };

// XXH3-128 of the lines `name=canonical value`, each with a newline, in byte order of the names, of the settings that
// apply, are hashed and differ from their defaults. So neither a new setting with a default nor the table's order
// changes one. Allocates nothing.
struct hash128 settings_identity(const struct settings *settings);
// The same for many settings whose values recur, as a grid's, some ten times faster: it remembers the texts of values.
// settings_lines_create returns NULL when the arena is full.
struct settings_lines;
struct settings_lines *settings_lines_create(struct arena *arena);
struct hash128 settings_lines_identity(struct settings_lines *lines, const struct settings *settings);
// The text, appended, with the settings that are not hashed as well: what a trial needs. Used by `show --trial`, saved
// weights and tests.
void settings_canonical(const struct settings *settings, struct bytes *ret_text);
// The settings that such a text stands for: its lines in any order, defaults elsewhere. Values that are texts are
// copied to `arena`, which has to outlive the settings. STATUS_INVALID names the line that is none, a setting that this
// version does not know, or a value out of its domain; STATUS_MEMORY.
enum status_code settings_read(const char *text, size_t size, struct arena *arena, struct settings *ret_settings,
                               struct status *status) MUST_CHECK;
// Copies the values that are texts to `arena`, for settings that outlive what they came from. False when it is full.
bool settings_keep(struct settings *settings, struct arena *arena) MUST_CHECK;

// The first row whose values differ, whether it applies or not; NULL when all are equal.
const struct setting *settings_differ(const struct settings *a, const struct settings *b);

// Self-describing wire form: u16 count, then (name, canonical text) of every setting that differs from its default, so
// that older readers understand settings which newer ones added but nobody used. Decoding accepts any order;
// STATUS_DAMAGED for bytes that end early, name a setting twice or hold a value out of range, STATUS_INVALID for a
// setting that it does not know. The reader may stand inside a longer message. Values that are texts are copied to
// `arena`, which has to outlive the settings and allocates nothing for others.
void settings_encode(const struct settings *settings, struct bytes *bytes);
enum status_code settings_decode(struct bytes_reader *reader, struct arena *arena, struct settings *ret_settings,
                                 struct status *status) MUST_CHECK;

// What follows from several settings.
// Symbols of a task on tokens; 0 on vectors. Those that open a sequence and ask for the answer are the last, in this
// order.
int64_t settings_vocabulary(const struct settings *settings);
int64_t settings_begin_tokens(const struct settings *settings); // before a sequence: 0 or 1
int64_t settings_query_tokens(const struct settings *settings); // behind it: 0 or 1
int64_t settings_classes(const struct settings *settings);      // values of a target
// Tokens (or vectors) of a sequence of `length` in the task's units: what a model reads. `test`: of a test sequence.
int64_t settings_tokens(const struct settings *settings, bool test, int64_t length);
bool settings_every_step(const struct settings *settings); // a target at every token (some masked), not one a sequence
bool settings_masked(const struct settings *settings);     // some of those do not count
// Blanks behind the input of a task on strings, where its answer is read: all of it or, where it is one symbol, at the
// last token; 0 for other tasks.
int64_t settings_answer_tokens(const struct settings *settings, int64_t length);
bool settings_autoregressive(const struct settings *settings); // a target is the next symbol: symbols are classes
bool settings_ragged(const struct settings *settings);         // training sequences may differ in length
// Whether the task can make a training sequence of `length`: those it cannot are left out of distributions.
bool settings_length_possible(const struct settings *settings, int64_t length);
// The same of the lengths 1 … `most`, as fast as one of them: bit l % 64 of word l / 64 says whether l is possible. At
// most TRAIN_LENGTH_LIMIT.
enum { TRAIN_LENGTH_LIMIT = 65536, LENGTH_WORDS = TRAIN_LENGTH_LIMIT / 64 + 1 };
void settings_lengths_possible(const struct settings *settings, int64_t most, uint64_t ret_possible[LENGTH_WORDS]);
static inline bool length_is_in(const uint64_t *lengths, int64_t length)
{
    return lengths[length / 64] >> length % 64 & 1;
}
// The shortest training sequence that the distribution has and the task can make: under length_distribution fixed the
// shortest that a curriculum can have. 0 where there is none up to train_length.
int64_t settings_shortest_length(const struct settings *settings);
// What the setting `lengths` lists, in its order; 0 where one is no such length, or they are more than `limit`.
enum { LENGTHS_LIMIT = 1024 };
size_t settings_lengths(const struct settings *settings, int64_t *ret_lengths, size_t limit);
// Training steps: steps, or what epochs come to; under a budget of tokens those of a training whose sequences all have
// train_length; of one of operations train_budget.h knows.
int64_t settings_steps(const struct settings *settings);
int64_t settings_batch_size(const struct settings *settings); // samples of a micro-batch
bool settings_causal(const struct settings *settings);        // attention_mask with auto resolved; never in two_layer
enum pooling_kind
settings_pooling(const struct settings *settings); // pooling with auto resolved; the mean in two_layer

// Of the arithmetic tasks, in training and validation or, with `test`, in testing. Digits and terms are the first
// symbols, so many that they do for both; an operator, the equals sign, the end and the hints follow.
int64_t settings_base(const struct settings *settings, bool test);
int64_t settings_modulus(const struct settings *settings, bool test);
int64_t settings_numerals(const struct settings *settings);
// Digits of the second operand and of the answer with all its zeros, where the first operand has `length`.
int64_t settings_second_digits(const struct settings *settings, bool test, int64_t length);
int64_t settings_answer_digits(const struct settings *settings, bool test, int64_t length);

int64_t settings_data_seed(const struct settings *settings); // data_seed, or the replicate where it is -1
int64_t settings_init_seed(const struct settings *settings);

// Raised whenever stored numbers of a trial may change: results of different numerics are never mixed.
enum { NUMERICS = 3 };
