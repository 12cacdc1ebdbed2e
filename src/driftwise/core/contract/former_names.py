"""Names that records of earlier versions gave to classes, and what the classes are called now."""

from __future__ import annotations

__all__ = ["FORMER_NAMES"]

# Up to 0.1.0 a record named a class by the path of its module. Whoever renames a policy, a choice or the
# class of a memory adds a line, and no line ever goes: records of any age are read by this table.
FORMER_NAMES = {
    "driftwise.core.protocols:Choice": "Choice",
    "driftwise.policies.ad_switch:AdSwitch": "AdSwitch",
    "driftwise.policies.adaptive_ucb:AdaptiveUCB": "AdaptiveUCB",
    "driftwise.policies.bandit_over_bandit:BanditOverBandit": "BanditOverBandit",
    "driftwise.policies.bandit_over_bandit:BlockChoice": "BlockChoice",
    "driftwise.policies.corral:Corral": "Corral",
    "driftwise.policies.corral:CorralChoice": "CorralChoice",
    "driftwise.policies.detecting_lin_ucb:DetectingLinUCB": "DetectingLinUCB",
    "driftwise.policies.discounted_arms_ucb:DiscountedArmsUCB": "DiscountedArmsUCB",
    "driftwise.policies.discounted_glm_ucb:DiscountedGLMUCB": "DiscountedGLMUCB",
    "driftwise.policies.discounted_lin_ts:DiscountedLinTS": "DiscountedLinTS",
    "driftwise.policies.discounted_lin_ucb:DiscountedLinUCB": "DiscountedLinUCB",
    "driftwise.policies.discounted_rand_lin_ucb:DiscountedRandLinUCB": "DiscountedRandLinUCB",
    "driftwise.policies.epsilon_greedy:EpsilonGreedy": "EpsilonGreedy",
    "driftwise.policies.exp3:Exp3": "Exp3",
    "driftwise.policies.exp3s:Exp3S": "Exp3S",
    "driftwise.policies.glr_ucb:GLRUCB": "GLRUCB",
    "driftwise.policies.hedging_arms_ucb:HedgingArmsUCB": "HedgingArmsUCB",
    "driftwise.policies.lin_ts:LinTS": "LinTS",
    "driftwise.policies.lin_ucb:LinUCB": "LinUCB",
    "driftwise.policies.master:InstanceChoice": "InstanceChoice",
    "driftwise.policies.master:Master": "Master",
    "driftwise.policies.oracle_restart:OracleRestart": "OracleRestart",
    "driftwise.policies.rerun_ucbv:RerunUCBV": "RerunUCBV",
    "driftwise.policies.restart_ucb:RestartUCB": "RestartUCB",
    "driftwise.policies.rexp3:Rexp3": "Rexp3",
    "driftwise.policies.sliding_window_arms_ucb:SlidingWindowArmsUCB": "SlidingWindowArmsUCB",
    "driftwise.policies.sliding_window_glm_ucb:SlidingWindowGLMUCB": "SlidingWindowGLMUCB",
    "driftwise.policies.sliding_window_ucb:SlidingWindowUCB": "SlidingWindowUCB",
    "driftwise.policies.ucb1:UCB1": "UCB1",
    "driftwise.policies.uniform:Uniform": "Uniform",
    "driftwise.policies.weighted_ucb:WeightedUCB": "WeightedUCB",
}
