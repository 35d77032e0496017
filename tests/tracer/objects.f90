! What is left behind, with the module mpi: a datatype, a request, a communicator, a group, an operation.
program objects
  use mpi
  implicit none
  integer :: ierror, i, types(3), requests(2), comms(3), groups(2), op, split, info, buffer(2), rank
  external :: add_nothing
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do i = 1, 3
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, types(i), ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, comms(i), ierror)
  end do
  do i = 1, 2
    call MPI_Type_free(types(i), ierror)
    call MPI_Comm_free(comms(i), ierror)
  end do
  call MPI_Irecv(buffer(1), 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Irecv(buffer(2), 1, MPI_INTEGER, MPI_PROC_NULL, 2, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Recv_init(buffer(1), 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Comm_group(MPI_COMM_WORLD, groups(1), ierror)
  call MPI_Group_incl(groups(1), 1, [0], groups(2), ierror)
  call MPI_Group_free(groups(2), ierror)
  call MPI_Op_create(add_nothing, .true., op, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, split, ierror)
  call MPI_Info_create(info, ierror)
  call MPI_Info_free(info, ierror)
  call MPI_Finalize(ierror)
end program
subroutine add_nothing(in, inout, length, type)
  integer :: in(*), inout(*), length, type
end subroutine
