"""What is sent to the browser for one scenario: facts, rows of the plane, words and lists, packed once."""
