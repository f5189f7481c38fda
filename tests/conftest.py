"""Which tests `scripts/test --quick` leaves out: everything that drives other programs for real, or computes for long.

Tests that run on two workers are shared out by `helpers.work_units`.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest

from helpers.work_units import unit_of, when

SLOW = {  # by place below tests/, with the reason
    "auditing/test_audit*": "many people, many clients",
    "clients/test_js_*": "Node and a browser",
    "collect/test_perturb_spark*": "a JVM",
    "contracts/test_designs*": "every design of many plans",
    "contracts/test_expectation*": "exact expectations over every report that there can be",
    "decoded/test_all_groups*": "every group of many plans",
    "decoded/test_closest*": "simulations",
    "designs/test_wide_plans*": "plans of many attributes",
    "engines/test_engines.py*": "many designs and oracles",
    "engines/test_engines_agree*": "a JVM",
    "engines/test_new_oracles*": "many designs and oracles",
    "engines/test_score_batches*": "many designs and queries",
    "engines/test_spark_*": "JVMs",
    "engines/test_third_engine*": "many designs and queries",
    "estimates/test_estimates_better_known*": "simulations",
    "estimates/test_estimates_intervals*": "error bars over many simulations",
    "estimates/test_estimates_noise_floor*": "simulations",
    "estimates/test_estimates_several_rows*": "error bars over many simulations",
    "estimates/test_estimates_skewness*": "simulations",
    "examples/*": "notebooks, a collector and a JVM",
    "fusion/test_fusion_distribution*": "error bars over many simulations",
    "marginals/test_marginals_errors*": "error bars over many simulations",
    "marginals/test_marginals_reports*": "simulations",
    "marginals/test_marginals_rivals*": "simulations",
    "mixing/test_accountant*": "sums over all counts, with many digits",
    "mixing/test_epochs*": "sums over all counts, with many digits",
    "mixing/test_mixed_client*": "a relay and a collector in processes of their own",
    "numeric/test_numeric_contract*": "every mechanism, exactly",
    "page/*": "a browser, and query processes",
    "plan/test_plan_init*": "plans for many tables",
    "privacy/test_mixing_exact*": "every branch of every draw",
    "privacy/test_oracles_exact*": "every branch of every draw of every oracle",
    "privacy/test_over_time*": "every branch of every draw, and simulations",
    "privacy/test_user_level*": "every branch of every draw of several services",
    "serve/test_serve_agents*": "query processes",
    "serve/test_serve_command*": "collectors in processes of their own",
    "serve/test_serve_doors*": "many connections at once",
    "serve/test_serve_events*": "collectors in processes of their own",
    "serve/test_serve_failover*": "database servers that die",
    "serve/test_serve_faults*": "disks that fail at every step",
    "serve/test_serve_flips*": "damage to stored files, again and again",
    "serve/test_serve_kills*": "collectors that are killed again and again",
    "serve/test_serve_merge*": "many small segments",
    "serve/test_serve_operate*": "collectors in processes of their own",
    "serve/test_serve_postgres*": "database servers",
    "sql/test_corpus*": "more than a thousand queries, each against DuckDB",
    "sql/test_random_queries*": "many random queries",
    "store/test_store_failures*": "processes that die at every step",
    "streams/test_stream_con*": "simulations",
    "streams/test_stream_threshold*": "simulations",
    "test_cold_query*": "processes that start anew",
    "test_demo*": "the whole demo",
    "test_doc_blocks*": "every block of code in the pages",
    "test_evidence*": "the whole book of evidence",
    "test_made_docs*": "all that pages have from code",
    "test_plugin_no_skips*": "pytest in pytest",
    "test_site.py*": "the whole site, and a browser",
    "test_star_sensitive*": "many simulations",
    "test_trends*": "error bars over many simulations",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    items.sort(key=lambda item: when(item.nodeid))
    for item in items:
        place = item.nodeid.removeprefix("tests/")
        if any(fnmatch(place, pattern) for pattern in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Units of work instead of single tests."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False  # they are sorted
    return ByUnit(config, log)
