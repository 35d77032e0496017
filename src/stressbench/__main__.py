"""`python -m stressbench` is the `stressbench` command."""

from stressbench.cli.console.app import main

if __name__ == "__main__":
    main()
