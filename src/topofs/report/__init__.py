"""What a person looks at: numbers first, then figures, then a page."""
