"""The collector: reports in over HTTP, durable before they are acknowledged, out as immutable segments."""
