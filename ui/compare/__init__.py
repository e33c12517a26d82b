"""Two runs under one cursor: settings against settings, a belief against the truth, one scenario against another."""
