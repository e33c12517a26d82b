"""The page of the class: ``/vote``, or ``/vote?room=CODE``. No account, no name; see ``ui/classroom``."""

from ui.classroom.students import vote_view

vote_view()
