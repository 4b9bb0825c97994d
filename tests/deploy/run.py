"""Runs what deploy/ has with the tools and programs that it is for.

    tests/deploy/run.py PROGRAMS TOOLS

PROGRAMS is the folder of our programs, TOOLS that of the linters of containers. Nothing here builds an image
or starts a system: there is no daemon for that. Instead, the steps of the Dockerfile are followed up to its
build, and units and image are run as their files say, with other folders and ports.
"""

import os
import sys
import tempfile

import container
import fleet
import metrics
import proxies
import release
import units


def main():
    programs, tools = map(os.path.abspath, sys.argv[1:])
    for part in [container, units, fleet, metrics, proxies, release]:
        with tempfile.TemporaryDirectory() as folder:
            part.check(programs, tools, folder)


if __name__ == "__main__":
    main()
