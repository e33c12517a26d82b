"""The students' page: ``/vote``, or ``/vote?room=CODE``. It needs no account and no name; see ``ui/classroom``."""

from tidemark.ui.classroom.students import vote_view

vote_view()
