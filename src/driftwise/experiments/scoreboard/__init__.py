"""Many kinds of drift, one line per policy; the pages that show it."""
