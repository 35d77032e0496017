! What is left behind, with the module mpi_f08: a datatype, a request, a communicator, a group, an operation.
module operations
  use mpi_f08
  implicit none
contains
  subroutine add_nothing(in, inout, length, type)
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
  end subroutine
end module
program objects08
  use mpi_f08
  use operations
  implicit none
  integer :: i, buffer(2), rank
  type(MPI_Datatype) :: types(3)
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comms(3), split
  type(MPI_Group) :: groups(2)
  type(MPI_Op) :: op
  type(MPI_Info) :: info
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 3
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, types(i))
    call MPI_Comm_dup(MPI_COMM_WORLD, comms(i))
  end do
  do i = 1, 2
    call MPI_Type_free(types(i))
    call MPI_Comm_free(comms(i))
  end do
  call MPI_Irecv(buffer(1), 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(buffer(2), 1, MPI_INTEGER, MPI_PROC_NULL, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Recv_init(buffer(1), 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Comm_group(MPI_COMM_WORLD, groups(1))
  call MPI_Group_incl(groups(1), 1, [0], groups(2))
  call MPI_Group_free(groups(2))
  call MPI_Op_create(add_nothing, .true., op)
  call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, split)
  call MPI_Info_create(info)
  call MPI_Info_free(info)
  call MPI_Finalize()
end program
