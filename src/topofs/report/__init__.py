"""Reports: numbers, figures and pages."""
