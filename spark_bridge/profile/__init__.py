"""What a stream of one's own is like: how far its records come behind, and what each bound would lose."""
