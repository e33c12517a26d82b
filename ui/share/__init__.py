"""Sharing and downloads: links that carry a scenario, offline pages, rows and traces."""
