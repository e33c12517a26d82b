"""The lecture: scenarios in an order, presented one after another, and the presenter's notes in a second window."""
