"""The classroom: a question to a room, answered anonymously from phones and counted in this server's memory."""
