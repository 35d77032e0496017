"""Who slows whom, from measurements of each alone (papers/001): queue, profiles, predictors. Pure, starts nothing."""
