"""What people complain of, and what helps: a checklist, the scenario that shows it, the same scenario repaired."""
