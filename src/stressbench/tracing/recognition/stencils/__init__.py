"""Loops of any program as motif `stencil`: the same calls on all ranks, to neighbours at the same offsets in a grid."""
