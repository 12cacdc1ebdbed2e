"""The engine: it knows what policies and worlds must offer, and names none of them."""
