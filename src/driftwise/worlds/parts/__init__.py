"""What worlds are built from: blocks of rounds, paths of parameters, noise, variation; no world."""
