"""What an author should know about a scenario: mistakes, hints, missed goals, and texts that promise too much.

This part looks at whole runs, so it stands above everything that produces or explores them; only the command line
and the app know it.
"""
