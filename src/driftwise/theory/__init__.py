"""The formulas of the theory: windows, radii, blocks, bounds, each with source and conditions."""

from __future__ import annotations

from .abrupt import abrupt_discount, abrupt_window
from .arm_drift import batch_length, drift_window, rerun_length
from .assumptions import AssumptionOne, Guarantees, assumption_one, guarantees
from .blocks import BlockRule, block_length, block_mixing, block_reward_scale, window_grid
from .bounds import RATES, Rate, rate, regret_bound, slope
from .discounts import discount, discount_grid, weighted_discount
from .epochs import doubling_constant, epoch_lengths
from .exponential_weights import exp3_mixing, exp3s_mixing, exp3s_sharing
from .geometry import GEOMETRIES, Geometry
from .hard_instance import HardInstance, hard_instance
from .radius import radius
from .recommendation import Problem, recommend
from .windows import restart_period, window

__all__ = [
    "GEOMETRIES",
    "RATES",
    "AssumptionOne",
    "BlockRule",
    "Geometry",
    "Guarantees",
    "HardInstance",
    "Problem",
    "Rate",
    "abrupt_discount",
    "abrupt_window",
    "assumption_one",
    "batch_length",
    "block_length",
    "block_mixing",
    "block_reward_scale",
    "discount",
    "discount_grid",
    "doubling_constant",
    "drift_window",
    "epoch_lengths",
    "exp3_mixing",
    "exp3s_mixing",
    "exp3s_sharing",
    "guarantees",
    "hard_instance",
    "radius",
    "rate",
    "recommend",
    "regret_bound",
    "rerun_length",
    "restart_period",
    "slope",
    "weighted_discount",
    "window",
    "window_grid",
]
