// What the patterns of the other files share with patterns.c.
#pragma once

extern int rank, ranks;

void fail(const char* what);  // and end the program
void work(int microseconds);

void graphs(int iterations);
void large(int iterations);
void planes(int iterations);
void parts(int iterations);
void paused(int iterations);
void started(int iterations);
void windows(int iterations);
void epochs(int iterations);
void scattered(int iterations);
void files(int iterations);
void objects(int open);
void objects_unseen(int open);
void objects_threads(int times);
void objects_mpi4(int times);
