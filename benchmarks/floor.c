/* The floor: what a sliding window costs when nothing is in the way.
 *
 * The same rounds, the same arms and the same regret as SlidingWindowUCB in the compiled loop,
 * written by hand for one policy and two kinds of decision sets: no layouts, no care for lost
 * digits, no checkpoints. Scalar: sums keep their order, and the compiler may not change it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t rounds, n_arms, dimension, window;
    double ridge, radius;
    uint64_t luck;
} Task;

/* Ties are broken by the same numbers as in driftwise, which are drawn for ties only. */
static uint64_t word(uint64_t luck, uint64_t i) {
    uint64_t z = luck + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int wins_tie(uint64_t seed, int64_t round, int64_t ties) {
    uint64_t luck = word(seed ^ 0xD1B54A32D192ED03u, (uint64_t)round) >> 1;
    return (double)(word(luck, (uint64_t)ties) >> 11) * 0x1p-53 * (double)ties < 1.0;
}

/* An argmax that draws among equals. */
#define CONSIDER(arm, value)                                            \
    do {                                                                \
        double v_ = (value);                                            \
        if (v_ > bound) {                                               \
            bound = v_, best = (arm), ties = 1;                         \
        } else if (v_ == bound && wins_tie(task->luck, t, ++ties)) {    \
            best = (arm);                                               \
        }                                                               \
    } while (0)

static double loss(const double *means, int64_t n_arms, int64_t arm) {
    double top = means[0];
    for (int64_t k = 1; k < n_arms; k++) top = means[k] > top ? means[k] : top;
    return top - means[arm];
}

static double *zeros(int64_t n) { return calloc((size_t)n, sizeof(double)); }

/* K arms, one axis each: the Gram matrix is diagonal. `arms` may be NULL.
 * Returns 0, or 1 if there is no memory. */
int play_axes(const Task *task, const double *means, const double *rewards, int64_t *arms,
              double *totals) {
    const int64_t n_arms = task->n_arms, window = task->window;
    double *gram = zeros(n_arms), *sums = zeros(n_arms), *old_rewards = zeros(window);
    int64_t *old_arms = calloc((size_t)window, sizeof(int64_t));
    if (!gram || !sums || !old_rewards || !old_arms) return 1;
    for (int64_t k = 0; k < n_arms; k++) gram[k] = task->ridge;
    double lost = 0.0, won = 0.0;
    int64_t slot = 0;
    for (int64_t t = 0; t < task->rounds; t++) {
        double bound = -INFINITY;
        int64_t best = 0, ties = 0;
        for (int64_t k = 0; k < n_arms; k++) {
            double lever = 1.0 / gram[k];
            CONSIDER(k, lever * sums[k] + task->radius * sqrt(lever));
        }
        double reward = rewards[t * n_arms + best];
        if (t >= window) {
            int64_t old = old_arms[slot];
            gram[old] -= 1.0, sums[old] -= old_rewards[slot];
        }
        gram[best] += 1.0, sums[best] += reward;
        old_arms[slot] = best, old_rewards[slot] = reward;
        if (++slot == window) slot = 0;
        lost += loss(means + t * n_arms, n_arms, best), won += reward;
        if (arms) arms[t] = best;
    }
    totals[0] = lost, totals[1] = won;
    free(gram), free(sums), free(old_rewards), free(old_arms);
    return 0;
}

static double inner(const double *a, const double *b, int64_t d) {
    double s = 0.0;
    for (int64_t i = 0; i < d; i++) s += a[i] * b[i];
    return s;
}

/* V^-1 after adding (sign 1) or taking away (sign -1) x x', by Sherman and Morrison;
 * the estimate follows. */
static void change(double *inverse, double *estimate, double *along, const double *x, double y,
                   double sign, int64_t d) {
    for (int64_t i = 0; i < d; i++) along[i] = inner(inverse + i * d, x, d);
    double scale = sign / (1.0 + sign * inner(along, x, d));
    double error = y - inner(estimate, x, d);
    for (int64_t i = 0; i < d; i++) {
        double f = scale * along[i];
        for (int64_t j = 0; j < d; j++) inverse[i * d + j] -= f * along[j];
        estimate[i] += f * error;
    }
}

/* K actions in d dimensions, others in every round. */
int play_dense(const Task *task, const double *actions, const double *means, const double *rewards,
               int64_t *arms, double *totals) {
    const int64_t n_arms = task->n_arms, d = task->dimension, window = task->window;
    double *inverse = zeros(d * d), *estimate = zeros(d), *along = zeros(d);
    double *old_rewards = zeros(window), *old_actions = zeros(window * d);
    if (!inverse || !estimate || !along || !old_rewards || !old_actions) return 1;
    for (int64_t i = 0; i < d; i++) inverse[i * d + i] = 1.0 / task->ridge;
    double lost = 0.0, won = 0.0;
    int64_t slot = 0;
    for (int64_t t = 0; t < task->rounds; t++) {
        const double *offer = actions + t * n_arms * d;
        double bound = -INFINITY;
        int64_t best = 0, ties = 0;
        for (int64_t k = 0; k < n_arms; k++) {
            const double *x = offer + k * d;
            double square = 0.0;
            for (int64_t i = 0; i < d; i++) square += x[i] * inner(inverse + i * d, x, d);
            CONSIDER(k, inner(estimate, x, d) + task->radius * sqrt(square));
        }
        const double *x = offer + best * d;
        double *old = old_actions + slot * d;
        double reward = rewards[t * n_arms + best];
        if (t >= window) change(inverse, estimate, along, old, old_rewards[slot], -1.0, d);
        change(inverse, estimate, along, x, reward, 1.0, d);
        memcpy(old, x, sizeof(double) * (size_t)d), old_rewards[slot] = reward;
        if (++slot == window) slot = 0;
        lost += loss(means + t * n_arms, n_arms, best), won += reward;
        if (arms) arms[t] = best;
    }
    totals[0] = lost, totals[1] = won;
    free(inverse), free(estimate), free(along), free(old_rewards), free(old_actions);
    return 0;
}
