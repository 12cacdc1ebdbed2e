"""Parts of HTML pages that open anywhere: pieces, style, charts that can be hovered, colours."""
