"""The concept inventory: ``/inventory``, ``/inventory?form=A`` or ``B``, ``/inventory?view=class`` for teachers."""

from tidemark.ui.learning.inventory.desk import first, reply
from tidemark.ui.pages.kit import asking_page

asking_page("inventory", first, reply)
