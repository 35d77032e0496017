// Objects of MPI of every kind; the first `open` of each way to make one are left behind.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "patterns.h"

static void add_nothing(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
}
static void handle_nothing(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }

// 4 of them.
static void make_requests(int is_left) {
  static int out, in;
  MPI_Request persistent, ignored, several[2];
  MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &persistent);
  MPI_Start(&persistent);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &ignored);
  MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &several[0]);
  MPI_Isend(&out, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &several[1]);
  MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
  if (is_left) return;
  MPI_Request_free(&persistent);
  int done = 0;
  while (!done) MPI_Test(&ignored, &done, MPI_STATUS_IGNORE);
  MPI_Waitall(2, several, MPI_STATUSES_IGNORE);  // null by now
}

// 3 of them, and one that half of the ranks do not get.
static void make_communicators(int is_left) {
  const int dims[1] = {ranks}, periods[1] = {0};
  MPI_Comm made[4];
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &made[1], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Cart_create(made[0], 1, dims, periods, 0, &made[2]);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &made[3]);
  if (made[3] != MPI_COMM_NULL) MPI_Comm_free(&made[3]);
  for (int k = 0; k < 3 && !is_left; ++k) MPI_Comm_free(&made[k]);
}

// 9 of them.
static void make_datatypes(int is_left) {
  const int sizes[2] = {4, 4}, parts[2] = {2, 2}, starts[2] = {0, 0};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype made[9], inside[1];
  int integers[8];
  MPI_Aint addresses[1];
  MPI_Type_contiguous(3, MPI_INT, &made[0]);
  MPI_Type_vector(3, 1, 2, made[0], &made[1]);
  MPI_Type_create_hvector(3, 1, 64, MPI_INT, &made[2]);
  MPI_Type_indexed(2, parts, starts, MPI_INT, &made[3]);
  MPI_Type_create_hindexed(2, parts, places, MPI_INT, &made[4]);
  MPI_Type_create_struct(2, parts, places, members, &made[5]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &made[6]);
  MPI_Type_create_resized(MPI_INT, 0, 16, &made[7]);
  MPI_Type_get_contents(made[1], 3, 0, 1, integers, addresses, inside);
  made[8] = inside[0];
  if (MPI_Type_get_contents(made[0], 1, 0, 1, integers, addresses, inside), inside[0] != MPI_INT) fail("contents");
  for (int k = 0; k < 9 && !is_left; ++k) MPI_Type_free(&made[k]);
}

// 3 of them.
static void make_groups(int is_left) {
  const int own[1] = {rank};
  MPI_Group made[3], empty;
  MPI_Comm_group(MPI_COMM_WORLD, &made[0]);
  MPI_Group_incl(made[0], 1, own, &made[1]);
  MPI_Group_difference(made[0], made[1], &made[2]);
  MPI_Group_incl(made[0], 0, own, &empty);  // MPI_GROUP_EMPTY, which nobody makes
  for (int k = 0; k < 3 && !is_left; ++k) MPI_Group_free(&made[k]);
}

// 1 of each.
static void make_others(int is_left) {
  static int memory;
  MPI_Win window;
  MPI_File file;
  MPI_Op op;
  MPI_Errhandler errhandler;
  MPI_Info info;
  int keyval;
  char name[32];
  snprintf(name, sizeof name, "objects.%d", rank);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Op_create(add_nothing, 1, &op);
  MPI_Comm_create_errhandler(handle_nothing, &errhandler);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Info_create(&info);
  if (is_left) return;
  MPI_Win_free(&window);
  MPI_File_close(&file);
  MPI_Op_free(&op);
  MPI_Errhandler_free(&errhandler);
  MPI_Comm_free_keyval(&keyval);
  MPI_Info_free(&info);
}

static void make_all(int times, int open) {
  for (int k = 0; k < times; ++k) {
    make_requests(k < open);
    make_communicators(k < open);
    make_datatypes(k < open);
    make_groups(k < open);
    make_others(k < open);
  }
}

void objects(int open) {
  make_all(3, open);
  if (rank == 1) make_datatypes(open > 0);
}
// The first half while nobody looks.
void objects_unseen(int open) {
  MPI_Pcontrol(0);
  make_all(2, open);
  MPI_Pcontrol(1);
  make_all(1, 0);
  if (rank == 1) make_datatypes(open > 0);
}

// A request that one thread makes and another completes; a group that a thread leaves which calls nothing else.
static void* complete(void* request) {
  MPI_Group group;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  return NULL;
}
void objects_threads(int times) {
  int in;
  for (int k = 0; k < times; ++k) {
    MPI_Request request;
    pthread_t thread;
    MPI_Pcontrol(k % 2);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    if (pthread_create(&thread, NULL, complete, &request) != 0) fail("thread");
    pthread_join(thread, NULL);
  }
}

// What came with MPI 4: 2 requests and 2 datatypes, of which one each is left.
void objects_mpi4(int times) {
#if MPI_VERSION >= 4
  static int sum, own;
  for (int k = 0; k < times; ++k) {
    MPI_Request persistent, exchange;
    MPI_Datatype large, copy;
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    MPI_Isendrecv(&own, 1, MPI_INT, rank, 1, &sum, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &exchange);
    MPI_Wait(&exchange, MPI_STATUS_IGNORE);
    MPI_Type_contiguous_c(2, MPI_INT, &large);
    MPI_Type_dup(large, &copy);
    MPI_Type_free(&copy);
  }
#else
  (void)times;
#endif
}
