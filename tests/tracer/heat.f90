! Heat equation on a grid of ranks: layers with MPI_Sendrecv, and the largest change of all.
program heat
  use mpi
  implicit none
  integer, parameter :: n = 48, steps = 6
  integer :: ierr, rank, ranks, comm, dims(2), at(2), left, right, down, up, nx, ny, step, column
  double precision, allocatable :: u(:,:)
  double precision :: change, most
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (/.false., .false./), .true., comm, ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Cart_coords(comm, rank, 2, at, ierr)
  call MPI_Cart_shift(comm, 0, 1, left, right, ierr)
  call MPI_Cart_shift(comm, 1, 1, down, up, ierr)
  nx = n / dims(1)
  ny = n / dims(2)
  allocate(u(0:nx+1, 0:ny+1))
  u = rank
  call MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  do step = 1, steps
    call MPI_Sendrecv(u(1,1), nx, MPI_DOUBLE_PRECISION, down, 1, u(1,ny+1), nx, MPI_DOUBLE_PRECISION, up, 1, &
                      comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(1,ny), nx, MPI_DOUBLE_PRECISION, up, 2, u(1,0), nx, MPI_DOUBLE_PRECISION, down, 2, &
                      comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(1,1), 1, column, left, 3, u(nx+1,1), 1, column, right, 3, comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(nx,1), 1, column, right, 4, u(0,1), 1, column, left, 4, comm, MPI_STATUS_IGNORE, ierr)
    change = maxval(u)
    call MPI_Allreduce(change, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
  end do
  call MPI_Finalize(ierr)
end program
