! A ring in Fortran, with the module mpi_f08: in-place reductions, ignored statuses, requests.
program ring08
  use mpi_f08
  implicit none
  integer :: rank, ranks, ierror, i, left, right, total
  type(MPI_Request) :: requests(2)
  double precision :: outgoing(100), incoming(100), biggest
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  outgoing = rank
  do i = 1, 20
    call MPI_Irecv(incoming, 100, MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(outgoing, 100, MPI_DOUBLE_PRECISION, right, 7, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    if (incoming(50) /= left) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    total = 1
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (total /= ranks) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end do
  if (rank == 0) then
    do i = 1, ranks - 1
      call MPI_Recv(biggest, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
  else
    biggest = rank
    call MPI_Send(biggest, 1, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Finalize(ierror)
end program
