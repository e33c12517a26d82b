"""Long work in processes of its own, so that no other visitor's step, page or vote waits for it."""
