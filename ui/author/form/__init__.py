"""The form of a draft: every setting of the format, with what it is now, and the edits that it makes."""
