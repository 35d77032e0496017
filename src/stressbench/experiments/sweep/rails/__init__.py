"""Rail policies: workloads or programs under one policy after the other, and what each did to times and NICs."""
