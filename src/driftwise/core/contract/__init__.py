"""What policies and worlds must offer, and what a decision is; the forms in which they are kept."""
