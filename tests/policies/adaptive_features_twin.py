"""AdaptiveUCB on vectors, told nothing: its recursion in plain NumPy, written for reading."""

# The letters of the formulas, so that they can be read beside the docstring of the policy.
# ruff: noqa: N803, N806

from __future__ import annotations

import math
from typing import Any

import numpy as np

from driftwise import AdaptiveUCB
from driftwise.core.base.arrays import Matrix, Vector


class FeaturesTwin:
    """Units of features and rewards, and filters that know both in these units."""

    def __init__(self, policy: AdaptiveUCB, d: int) -> None:
        self.policy, self.d, self.n = policy, d, 0
        self.kept: list[tuple[Vector, float]] = []
        self.size, self.share = np.zeros(d), 1 / (1.4 * math.sqrt(d + 1))  # size 0: never shown
        self.offset, self.unit = 0.0, 1.0
        self.values, self.hits, self.clicks = set[float](), 0, False
        self.filters = self.new_filters()

    def new_filters(self) -> FiltersTwin:
        return FiltersTwin(self.policy, self.d + 1, self.d)

    def row(self, action: Vector) -> Vector:
        known = action / np.where(self.size > 0, self.size, 1.0)
        return self.share * np.append(np.where(self.size > 0, known, np.sign(action)), 1.0)

    def scores(self, actions: Matrix, flying: list[Vector]) -> Vector:
        """Return by what a row is chosen: how overdue a look is, if one is, or its optimistic mean."""
        return self.filters.scores(
            np.array([self.row(x) for x in actions]), [self.row(x) for x in flying]
        )

    def observe(self, action: Vector, reward: float, threshold: float) -> None:
        self.n += 1
        self.values.add(reward)
        if len(self.values) == 3 and self.clicks:
            self.clicks, self.filters.rate = False, None
        self.hits += reward == max(self.values) > min(self.values)
        is_spread = len({y for _, y in self.kept}) > 1
        is_new = bool(self.kept) and not is_spread and reward != self.kept[0][1]
        if self.n <= 64 or is_new:
            self.kept = [*self.kept[:63], (action, reward)]
        if self.n in (1, 2, 4, 8, 16, 32, 64) or is_new:
            self.settle()
            self.filters = self.new_filters()
            if len(self.values) == 2 and self.n >= 64:
                self.settle_clicks()
            for each in self.kept:
                self.take_in(*each, threshold)
        else:
            self.take_in(action, reward, threshold)

    def settle(self) -> None:
        rows, rewards = np.array([x for x, _ in self.kept]), np.array([y for _, y in self.kept])
        shown = rows != 0
        self.size = np.sqrt((rows**2).sum(0) / np.maximum(shown.sum(0), 1))
        self.share = 1 / (1.4 * math.sqrt(1 + shown.sum() / len(rows)))
        self.offset, self.unit = float(rewards.mean()), float(rewards.std()) or 1.0
        others = np.delete(rewards, abs(rewards - rewards.mean()).argmax())
        if len(others) and 0 < 100 * others.std() < rewards.std():
            self.offset, self.unit = float(others.mean()), float(others.std())

    def settle_clicks(self) -> None:
        low, high = min(self.values), max(self.values)
        rate = (self.hits + 0.5) / (self.n + 1)
        self.clicks = True
        self.offset, self.unit = low + (high - low) * rate, (high - low) * math.sqrt(rate - rate**2)
        self.filters.know_rate(rate)

    def take_in(self, action: Vector, reward: float, threshold: float) -> None:
        self.size = np.where(self.size > 0, self.size, np.abs(action))
        known = (
            float(reward == max(self.values)) if self.clicks else (reward - self.offset) / self.unit
        )
        self.filters.observe(self.row(action), known, threshold)


class BlocksTwin(FeaturesTwin):
    """Rows that touch one of several blocks of features, which share their units."""

    def __init__(self, policy: AdaptiveUCB, n_blocks: int, length: int) -> None:
        self.n_blocks, self.b = n_blocks, length
        super().__init__(policy, length)

    def new_filters(self) -> FiltersTwin:
        return FiltersTwin(self.policy, self.n_blocks * (self.b + 1), self.n_blocks * self.b)

    def row(self, action: Vector) -> Vector:
        blocks = action.reshape(self.n_blocks, self.b)
        touched = int(np.flatnonzero(blocks.any(1))[0])
        row = np.zeros((self.n_blocks, self.b + 1))
        row[touched] = super().row(blocks[touched])
        return row.ravel()

    def settle(self) -> None:
        kept = self.kept
        self.kept = [(x.reshape(self.n_blocks, self.b).sum(0), y) for x, y in kept]
        super().settle()
        self.kept = kept

    def take_in(self, action: Vector, reward: float, threshold: float) -> None:
        own = action.reshape(self.n_blocks, self.b).sum(0)
        self.size = np.where(self.size > 0, self.size, np.abs(own))
        self.filters.observe(self.row(action), (reward - self.offset) / self.unit, threshold)


class FiltersTwin:
    def __init__(self, policy: AdaptiveUCB, d: int, n_features: int) -> None:
        steps = math.log(policy.fastest_drift / policy.slowest_drift, policy.drift_ratio) + 1e-9
        grid = [policy.slowest_drift * policy.drift_ratio**k for k in range(int(steps) + 1)]
        self.kappa = np.array([0.0, *grid])
        self.policy, self.d, self.M, self.n = policy, d, len(self.kappa), 0
        self.m, self.R2 = np.zeros((self.M, d)), np.full(self.M, policy.first_noise**2)
        self.w, self.U = np.full(self.M, 1 / self.M), np.zeros((d, d))
        self.P = np.tile(100.0 * np.eye(d), (self.M, 1, 1))
        self.W, self.due, self.n_features = 0.0, 1.0, n_features
        self.rate: float | None = None  # of clicks, when units were settled
        self.grow(1.0)  # before the first round the bound is 1
        self.S = policy.first_noise
        self.mix()

    def know_rate(self, rate: float) -> None:
        """Let rewards be clicks; the filters have learnt nothing yet."""
        self.rate, self.s, self.origin = (
            rate,
            math.sqrt(rate - rate**2),
            math.log(rate / (1 - rate)),
        )
        self.R2[:], self.S = 1.0, 1.0
        self.P = np.tile((2 * self.s) ** 2 * np.eye(self.d), (self.M, 1, 1))
        self.grow(2 * self.s)
        self.mix()

    def grow(self, S: float) -> None:
        for j in range(self.M):
            q = min(self.kappa[j] * self.R2[j], S**2)
            self.P[j] = (1 - q / S**2) * self.P[j] + q * np.eye(self.d)

    def mix(self) -> None:
        self.Rm2 = float(self.w @ self.R2)
        self.mean = self.w @ self.m
        apart = self.m - self.mean
        self.C: Any = sum(
            self.w[j] * (self.P[j] + np.outer(apart[j], apart[j])) for j in range(self.M)
        )

    def scores(self, xs: Matrix, flying: list[Vector]) -> Vector:
        N = sum((np.outer(x, x) for x in flying), np.zeros_like(self.C))
        C = self.C @ np.linalg.inv(np.eye(self.d) + N @ self.C / self.Rm2)
        means = xs @ self.mean
        over, bounds = np.full(len(xs), -np.inf), np.empty(len(xs))
        for k, x in enumerate(xs):
            error = math.sqrt(max(x @ C @ x, 0))
            bounds[k] = means[k] + self.policy.width * error
            if means[k] < means.max():
                u = x @ self.U @ x / (x @ x) * (x @ C @ x) / (x @ self.C @ x)
                g = means.max() - means[k] + error
                over[k] = u * self.Rm2 / (self.Rm2 + (g / 4) ** 2) - self.due
        return over if over.max() > 0 else bounds

    def observe(self, x: Vector, y: float, threshold: float) -> None:
        rule, n = self.policy, self.n
        if self.rate is None:
            centre, reach = float(x @ self.mean), 1e3 * self.S * max(1, math.sqrt(x @ x))
            y = min(max(y, centre - reach), centre + reach)
        Ux, R = self.U @ x, math.sqrt(self.Rm2)
        unseen = float(x @ Ux)
        z = Ux / unseen if unseen > 0 else np.zeros(self.d)
        step = 1 / (z @ z) if unseen > 0 else 0.0
        self.U = self.U - np.outer(Ux, Ux) / (unseen + self.Rm2 / self.S**2)
        u = unseen / (x @ x)
        self.due = threshold if u > self.due else self.due
        v = u / (1 + u)
        q, far = float(rule.doubt * v**3), v * (self.W + min(R, self.W)) ** 2 * step
        alpha = min(rule.sharing, 1 / (n + rule.sharing_delay))
        known, log_w = (1 - alpha) * self.w + alpha / self.M, np.empty(self.M)
        for j in range(self.M):
            if self.rate is not None:
                law = self.click(j, x, y, q, float(far), z)
            else:
                law = self.amount(j, x, y, q, float(far), z)
            log_w[j] = math.log(known[j] * law)
        self.w = np.exp(log_w - log_w.max())
        self.w /= self.w.sum()
        self.n += 1
        self.begin_round(x)

    def amount(self, j: int, x: Vector, y: float, q: float, far: float, z: Vector) -> float:
        """Let filter j learn from an amount; return how likely it was."""
        rule = self.policy
        R2, P, e = self.R2[j], self.P[j], y - x @ self.m[j]
        calm = R2 + x @ P @ x
        b = max(far - x @ P @ x, 0)
        laws, means, spreads, noises = [], [], [], []
        for each in (P, P + b * np.outer(z, z)):
            s = R2 + x @ each @ x
            laws.append(math.exp(-min(e**2 / s, rule.error_cap) / 2) / math.sqrt(s))
            means.append(self.m[j] + each @ x / s * e)
            spreads.append(each - np.outer(each @ x, each @ x) / s)
            noises.append(min(e**2, rule.noise_cap * s) * (R2 / s) ** 2 + (s - R2) / s * R2)
        law = (1 - q) * laws[0] + q * laws[1]
        J = q * laws[1] / law
        apart = means[1] - means[0]
        less = min(1, rule.error_cap * calm / e**2) if e else 1
        self.m[j] = means[0] + J * apart
        self.P[j] = (1 - J) * spreads[0] + J * spreads[1]
        self.P[j] += J * (1 - J) * less * np.outer(apart, apart)
        seen = (1 - J) * noises[0] + J * noises[1]
        least = (rule.least_noise * self.S) ** 2
        self.R2[j] = max(R2 + (seen - R2) / min(self.n + 2, rule.noise_memory), least)
        return law

    def click(self, j: int, x: Vector, y: float, q: float, far: float, z: Vector) -> float:
        """Let filter j learn from a click, 1 or 0; return how likely it was."""
        P = self.P[j]
        before = self.origin + x @ self.m[j] / self.s
        laws, pulls, curves = [], [], []
        for each in (P, P + max(far - x @ P @ x, 0) * np.outer(z, z)):
            v = x @ each @ x / self.s**2
            laws.append(rate_at((2 * y - 1) * before / math.sqrt(1 + math.pi / 8 * v)))
            after = most_probable(before, v, y)
            pulls.append((after - before) * self.s / (x @ each @ x))
            curves.append(rate_at(after) * rate_at(-after) / self.s**2)
        law = (1 - q) * laws[0] + q * laws[1]
        J, b = q * laws[1] / law, max(far - x @ P @ x, 0)
        # A jump by delta moves the parameter along g; without it, all moves along P x.
        information = sum(
            p * c / (1 + c * x @ P @ x) for p, c in zip((1 - J, J), curves, strict=True)
        )
        g = z - information * P @ x
        leap = b * pulls[1]
        left = b * (1 + curves[1] * x @ P @ x) / (1 + curves[1] * (x @ P @ x + b))
        self.m[j] = self.m[j] + P @ x * ((1 - J) * pulls[0] + J * pulls[1]) + J * leap * z
        self.P[j] = P - information * np.outer(P @ x, P @ x)
        self.P[j] += J * (left + (1 - J) * leap**2) * np.outer(g, g)
        return law

    def begin_round(self, x: Vector) -> None:
        self.grow(self.S if self.rate is None else 2 * self.s)
        self.mix()
        R = math.sqrt(self.Rm2)
        share = min(1, self.W / R)
        self.U = self.U + 0.5 * share**0.75 / math.sqrt(self.n_features * (self.n + 1)) * np.eye(
            self.d
        )
        beyond = abs(float(x @ self.mean)) - math.sqrt(max(float(x @ self.C @ x), 0.0))
        top = max(beyond, 0.0) / math.sqrt(x @ x)
        if self.n == 30 or top > self.W:
            self.W = top
        elif self.n > 30:
            self.W += (top - self.W) / (self.n + 1)
        self.S = 1.4 * self.W + R


def rate_at(log_odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(log_odds, -40.0), 40.0)))


def most_probable(before: float, v: float, y: float) -> float:
    """Return the log-odds after a click, by three Newton steps of at most 3 to the most probable one."""
    after = before
    for _ in range(3):
        rate = rate_at(after)
        step = (after - before - v * (y - rate)) / (1 + v * rate * (1 - rate))
        after -= min(max(step, -3.0), 3.0)
    return after
