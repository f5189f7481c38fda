"""SQL text -> Question. Knows attributes and services, but no design, no engine and no report."""
