"""A link to a scenario shows the player at once, while Streamlit itself still starts."""
