"""`python -m fenjie`: the command line."""

from fenjie.cli import main

if __name__ == "__main__":
    main()
