"""TF-Agents: LinUCB with one model on the features of the actions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tf_agents.bandits.agents.lin_ucb_agent import LinearUCBAgent
from tf_agents.bandits.specs.utils import create_per_arm_observation_spec
from tf_agents.specs import BoundedTensorSpec
from tf_agents.trajectories import restart, single_step, time_step_spec

PACKAGE = "tf-agents"
REMARK = (
    "LinUCB, one model on the features of the actions, as here; made for batches; graphs compiled"
)


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    observed = create_per_arm_observation_spec(1, dimension, n_arms)
    agent = LinearUCBAgent(
        time_step_spec(observed),
        BoundedTensorSpec((), tf.int32, 0, n_arms - 1),
        accepts_per_arm_features=True,
    )
    choose, learn = tf.function(agent.policy.action), tf.function(agent.train)
    nothing = np.zeros((1, 1), np.float32)

    def play(actions: Any, rewards: Any) -> None:
        seen = {"global": nothing, "per_arm": actions[None].astype(np.float32)}
        seen = tf.nest.map_structure(tf.constant, seen)
        step = choose(restart(seen, batch_size=1))
        arm = int(step.action[0])
        chosen = step.info.chosen_arm_features
        features = {"global": seen["global"][:, None], "per_arm": chosen[:, None]}
        learn(
            single_step(
                observation=features,
                action=step.action[:, None],
                policy_info=tf.nest.map_structure(lambda part: part[:, None], step.info),
                reward=tf.constant([[rewards[arm]]], tf.float32),
                discount=tf.ones((1, 1)),
            )
        )

    return play
