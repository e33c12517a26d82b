"""To share and to take away: links that carry a scenario, files of the whole walkthrough, pictures, rows and traces."""
