"""What rail policies do to jobs and programs: times, figures of merit, bandwidth by size, bytes of each NIC."""
