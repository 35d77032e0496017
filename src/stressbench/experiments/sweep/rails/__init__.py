"""Rail policy sweeps: workloads or programs under several policies, with times and bytes of each NIC."""
