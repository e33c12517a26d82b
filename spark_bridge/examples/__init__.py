"""Three streams to try the commands on: the shapes of real data sets, made from a seed, with known causes in them."""
