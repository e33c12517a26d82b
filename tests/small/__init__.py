"""Every small stream: the simulator against the bridge's operators in plain Python, over a family of settings."""
