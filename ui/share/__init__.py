"""Sharing and downloads: links that carry a scenario, offline pages, animations, rows and traces."""
