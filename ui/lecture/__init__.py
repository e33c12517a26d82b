"""The lecture: scenarios presented one after another, with the presenter's notes in a second window."""
