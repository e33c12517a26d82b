"""The app: pages, charts and the player component."""
