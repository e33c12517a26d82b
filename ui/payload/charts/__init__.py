"""What is drawn: the rows of the plane, its axes, and the lanes, as data without places in px."""
