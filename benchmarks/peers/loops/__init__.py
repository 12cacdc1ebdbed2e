"""One file per package: the shortest honest loop through its public calls.

Each has ``PACKAGE``, the name it is installed by, ``REMARK``, what it does differently, and
``start``, which returns a function that plays one round: choose from (K, d) actions, learn the
reward of the choice. A package whose arms share one context is given the first row for it. These
files run in the environment of the package, where driftwise is not installed.
"""
