"""The page of a degradation: findings, factors against rate and against ranks, tables."""

from stressbench.study.degradation.page.assemble import render_page

__all__ = ["render_page"]
