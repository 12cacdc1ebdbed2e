"""Random numbers from luck and from seeds; ties broken by luck."""
