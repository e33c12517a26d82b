"""What a teacher is told about a scenario: mistakes, hints, goals that are missed, and texts that promise too much.

It looks at whole runs, so it stands above everything that makes or explores them; only the command line and the app
know it.
"""
