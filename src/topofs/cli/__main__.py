"""Run the command with ``python -m topofs.cli``, where no script is installed."""

from topofs.cli import main

if __name__ == "__main__":
    main()
