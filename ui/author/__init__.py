"""The Author page: table, text and picture of one scenario, and the folder where it is saved."""
