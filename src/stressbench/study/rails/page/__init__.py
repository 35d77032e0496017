"""The page of rail policies: findings, box plots, bandwidth by size, tables."""

from stressbench.study.rails.page.assemble import render_page

__all__ = ["render_page"]
