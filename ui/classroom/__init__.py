"""The classroom: one question to a room, answered from phones without a name, counted in the memory of this server."""
