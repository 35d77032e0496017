"""Experiments on interference: impact (ImpactB), compression (CompressionB), and predictions from their profiles."""

from stressbench.experiments.interference.compression import CompressionMeasurement, measure_compression
from stressbench.experiments.interference.impact import measure_impact
from stressbench.experiments.interference.loaded_link import LoadedLink, loaded_link
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.prediction import (
    NoPlacement,
    PredictionError,
    predict_slowdowns,
    propose_placement,
    validate_predictions,
)
from stressbench.experiments.interference.profile_files import (
    ProfileDestination,
    measurement_values,
    profile_destination,
    write_compression_profile,
    write_impact_profile,
)
from stressbench.experiments.interference.profile_selection import ProfileSelectionError, select_profiles
from stressbench.experiments.interference.ring_plan import RingPlan, ring_plan
from stressbench.experiments.interference.spec import MeasurementSpec, measurement_spec

__all__ = [
    "CompressionMeasurement",
    "LoadedLink",
    "MeasurementAborted",
    "MeasurementSpec",
    "NoPlacement",
    "PredictionError",
    "ProfileDestination",
    "ProfileSelectionError",
    "RingPlan",
    "loaded_link",
    "measure_compression",
    "measure_impact",
    "measurement_spec",
    "measurement_values",
    "predict_slowdowns",
    "profile_destination",
    "propose_placement",
    "ring_plan",
    "select_profiles",
    "validate_predictions",
    "write_compression_profile",
    "write_impact_profile",
]
