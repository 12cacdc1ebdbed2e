"""AdaptiveUCB on arms, told nothing: its recursion in plain NumPy, written for reading."""

# The letters of the formulas, so that they can be read beside the docstring of the policy.
# ruff: noqa: N806

from __future__ import annotations

import math

import numpy as np

from driftwise import AdaptiveUCB
from driftwise.core.base.arrays import Vector

UNSEEN, LOOK, OPTIMISM = range(3)  # why an arm is played


class ArmsTwin:
    def __init__(self, policy: AdaptiveUCB, n_arms: int) -> None:
        steps = round(math.log(policy.fastest_drift / policy.slowest_drift, policy.drift_ratio))
        drifts = [policy.slowest_drift * policy.drift_ratio**k for k in range(steps + 1)]
        self.kappa = np.array([0.0, *drifts])
        K, M = n_arms, len(self.kappa)
        self.policy, self.K, self.M = policy, K, M
        self.m, self.p = np.zeros((K, M)), np.ones((K, M))
        self.R2, self.w = np.zeros(M), np.full(M, 1 / M)
        self.mean, self.C, self.U = np.zeros(K), np.zeros(K), np.zeros(K)
        self.due, self.seen_at = np.ones(K), np.zeros(K)
        self.rewards: list[list[float]] = [[] for _ in range(K)]
        self.all: list[float] = []
        self.values: list[float] = []  # that rewards have had, until there are three
        self.hits = self.again = 0
        self.is_coin = False
        self.W = self.Rm2 = self.S = self.V = self.limit = 0.0

    @property
    def is_click(self) -> bool:
        return len(self.values) < 3 and not self.is_coin

    @property
    def sign(self) -> float:
        return -1.0 if len(self.values) == 2 and self.values[1] < self.values[0] else 1.0

    def scores(self, flight: Vector) -> tuple[int, Vector]:
        """Return why an arm is played now, and by which numbers, -inf for those that are not."""
        seen = np.array([len(each) > 0 for each in self.rewards])
        waiting = ~seen & ((flight < 0.5) | ~seen.any())
        if waiting.any():
            return UNSEEN, np.where(waiting, -flight, -np.inf)
        mean = self.sign * self.mean
        best = mean[seen].max()
        if self.Rm2 > 0 and not self.is_coin:
            u = self.U * self.Rm2 / (flight * self.U * self.S**2 + self.Rm2)
            g = best - mean + np.sqrt(self.C)
            over = u * self.Rm2 / (self.Rm2 + (g / 4) ** 2) - self.due
            over = np.where(seen & (mean < best), over, -np.inf)
            if over.max() > 0:
                return LOOK, over
        noise = self.mean * (1 - self.mean) if self.is_click else np.full(self.K, self.Rm2)
        with np.errstate(invalid="ignore"):
            C = np.where(flight > 0, self.C * noise / (noise + flight * self.C), self.C)
        bound = mean + self.policy.width * np.sqrt(C)
        if self.is_coin:  # no rate is better than 1, or than 0 where a higher one is worse
            h = np.log1p(self.U * self.Rm2 / (flight * self.U + self.Rm2))
            hope = np.where(seen, (mean + h * max(self.sign, 0)) / (1 + h), -np.inf)
            is_look = hope.max() > np.where(seen, bound, -np.inf).max()
            return LOOK if is_look else OPTIMISM, np.where(seen, np.maximum(bound, hope), -np.inf)
        return OPTIMISM, np.where(seen, bound, -np.inf)

    def observe(self, a: int, y: float, threshold: float) -> None:
        rule, is_first = self.policy, not self.rewards[a]
        if len(self.values) < 3 and y not in self.values:
            self.values.append(y)
            if len(self.values) == 3:
                self.is_coin = False
                self.turn_to_amounts()
                if len(self.all) > 30:
                    reach = 1e3 * np.std(self.all)
                    y = float(np.clip(y, np.mean(self.all) - reach, np.mean(self.all) + reach))
        self.all.append(y)
        n, v = len(self.all), self.U[a] / (1 + self.U[a])
        alpha = min(rule.sharing, 1 / (n - 1 + rule.sharing_delay))
        self.q = 0.0 if is_first else rule.doubt * v**3
        self.far = v * (self.W + min(math.sqrt(self.Rm2), self.W)) ** 2
        known = (1 - alpha) * self.w + alpha / self.M
        S = self.S
        if self.is_click:
            self.Rm2 = self.learn_click(a, y, known, n, is_first=is_first)
            S = self.W + math.sqrt(self.Rm2)
            self.rewards[a].append(y)
            if n >= 50 and min(self.hits, n - self.hits) >= 0.15 * n:
                self.turn_to_coins()
                S = 1.0
        else:
            if self.is_coin:
                self.far = v
                y = float(y != self.values[0])
            self.Rm2 = self.learn_amount(a, y, known, n, is_first=is_first)
            self.rewards[a].append(self.all[-1])
        self.U[a] = self.U[a] * self.Rm2 / (self.U[a] * S**2 + self.Rm2) if S > 0 else 0.0
        self.seen_at[a], self.due[a] = n, threshold
        self.begin_round(n)

    def learn_click(self, a: int, y: float, known: Vector, n: int, *, is_first: bool) -> float:
        z = 0.0 if y == self.values[0] else 1.0
        pi = (self.hits + 0.5) / n
        pi = 1 - 0.25 / n if pi >= 1 else pi
        self.hits += int(z)
        self.limit, edge = min(pi, 1 - pi) / max(pi, 1 - pi), 0.5 / (n + 1)
        if is_first:
            self.m[a], self.p[a] = pi, self.limit
        others = [b for b in range(self.K) if self.rewards[b]]
        best = max((self.sign * self.mean[b] for b in others), default=-math.inf)
        likely = np.empty(self.M)
        for j in range(self.M):
            x, p = self.m[a, j], self.p[a, j]
            calm, calm_p = x + p / (1 + p) * (z - x), p / (1 + p)
            law = x if z else 1 - x
            if self.q > 0:  # a jump, to the best rate of all
                c = min(max(self.sign * max(self.sign * x, best), edge), 1 - edge)
                wide = min(max(p, self.far / (c * (1 - c))), 1.0)
                moved, moved_p = c + wide / (1 + wide) * (z - c), wide / (1 + wide)
                with_jump = self.q * (c if z else 1 - c)
                law = (1 - self.q) * law + with_jump
                J = with_jump / law
                variance = (1 - J) * calm * (1 - calm) * calm_p + J * moved * (1 - moved) * moved_p
                variance += J * (1 - J) * (moved - calm) ** 2
                calm = min(max(calm + J * (moved - calm), edge), 1 - edge)
                calm_p = min(variance / (calm * (1 - calm)), max(calm_p, self.limit))
            self.m[a, j], self.p[a, j] = min(max(calm, edge), 1 - edge), calm_p
            likely[j] = law
        self.w = known * likely / (known * likely).sum()
        return max(pi * (1 - pi), 1e-12)

    def learn_amount(self, a: int, y: float, known: Vector, n: int, *, is_first: bool) -> float:
        rule = self.policy
        if self.again == 0 or (not is_first and self.R2[0] == 0):
            self.R2[:] = np.var(self.all)
        if is_first:
            self.m[a], self.p[a] = y, 1.0
            return float(self.w @ self.R2)
        least = (rule.least_noise * self.S) ** 2
        far = 1e3 * self.S if self.S > 0 else math.inf
        y = min(max(y, self.mean[a] - far), self.mean[a] + far)
        if n > 30:
            seen = (y - self.mean[a]) ** 2 * self.Rm2 / (self.Rm2 + self.C[a])
            self.V += (seen - self.V) * max(1 / (n - 29), 10 / (n + 10))
            alike = np.mean([each in self.values[:2] for each in self.all])
            part = 0.03 if self.is_coin else max(0.03, float(alike))
            least = max(least, part * self.V if n >= 100 else 0.0)
        log_w = np.empty(self.M)
        for j in range(self.M):
            R2 = max(self.R2[j], (rule.least_noise * self.S) ** 2)
            P, e = R2 * self.p[a, j], y - self.m[a, j]
            wide = P + max(self.far - P, 0)  # if it has jumped
            laws, means, variances, noises = [], [], [], []
            for each in (P, wide):
                s = R2 + each
                laws.append(math.exp(-min(e**2 / s, rule.error_cap) / 2) / math.sqrt(s))
                means.append(self.m[a, j] + each / s * e)
                variances.append(each - each**2 / s)
                noises.append(min(e**2, rule.noise_cap * s) * (R2 / s) ** 2 + each / s * R2)
            law = (1 - self.q) * laws[0] + self.q * laws[1]
            J = self.q * laws[1] / law
            log_w[j] = math.log(known[j] * law)
            apart = means[1] - means[0]
            less = min(1, rule.error_cap * (R2 + P) / e**2) if e else 1
            new = (1 - J) * variances[0] + J * variances[1] + J * (1 - J) * less * apart**2
            self.m[a, j], self.p[a, j] = means[0] + J * apart, new / R2
            seen = (1 - J) * noises[0] + J * noises[1]
            R2 += (seen - R2) / min(self.again + 2, rule.noise_memory)
            self.R2[j] = max(R2, least)
        self.again += 1
        self.w = np.exp(log_w - log_w.max())
        self.w /= self.w.sum()
        return float(self.w @ self.R2)

    def turn_to_coins(self) -> None:
        self.is_coin = True
        self.p *= self.m * (1 - self.m) / self.Rm2
        self.R2[:], self.V = self.Rm2, self.Rm2
        self.again = min(max(sum(len(each) - 1 for each in self.rewards if each), 1), 300)
        self.S = 1.0

    def turn_to_amounts(self) -> None:
        for a, rewards in enumerate(self.rewards):
            if rewards:
                self.m[a] = np.mean(rewards)
                self.p[a] = np.maximum(1 / len(rewards), np.minimum(self.p[a], 1))
        self.again = min(sum(len(each) - 1 for each in self.rewards if each), 300)
        self.R2[:], self.w[:] = 0.0, 1 / self.M
        self.W = self.Rm2 = self.S = 0.0
        self.V = float(np.var(self.all)) if len(self.all) > 30 else 0.0

    def begin_round(self, n: int) -> None:
        R = math.sqrt(self.Rm2)
        r = 0.5 * min(1, self.W / R if R > 0 else 1) ** 0.75 / math.sqrt(self.K * (n + 1))
        if self.is_coin:
            r = self.policy.probing / (n + 1) ** self.policy.probing_decay
        seen = [b for b in range(self.K) if self.rewards[b]]
        for b in seen:
            k = self.kappa * np.maximum(1, 0.1 * np.sqrt(self.kappa) * (n - self.seen_at[b]))
            if self.is_click:
                q = np.minimum(k, self.limit)
                self.p[b] = np.maximum((1 - q / self.limit) * self.p[b] + q, self.p[b])
            elif self.S > 0:
                cap = self.S**2 / self.R2
                q = np.minimum(k, cap)
                self.p[b] = (1 - q / cap) * self.p[b] + q
            else:
                self.p[b] += k
            noise = self.m[b] * (1 - self.m[b]) if self.is_click else self.R2
            self.mean[b] = self.w @ self.m[b]
            self.C[b] = self.w @ (noise * self.p[b] + (self.m[b] - self.mean[b]) ** 2)
            self.U[b] += r
        mean, error = self.sign * self.mean[seen], np.sqrt(self.C[seen])
        d = max((mean - error).max() - (mean + error).min(), 0.0)
        self.W = d if d > self.W or n <= 30 else self.W + (d - self.W) / (n + 1)
        self.S = 1.0 if self.is_coin else self.W + R
