"""``python -m drystone import FILE -o SCENE``: descriptions as scenes; ``import-check FOLDER`` for all of a folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ._files import replacing
from .errors import DrystoneError
from .importers import load
from .run import check


def _coordinate(text: str) -> tuple[str, float]:
    name, found, value = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed: JOINT=VALUE")
    return name, float(value)


def _package(text: str) -> tuple[str, str]:
    name, found, folder = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed: NAME=FOLDER")
    return name, folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 for done, 1 for a check that failed, 2 for bad usage or input."""
    options = _parser().parse_args(arguments)
    if options.command == "import-check":
        return _import_check(options)
    return _import(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="drystone", description="Rigid-body dynamics: descriptions as scenes")
    commands = parser.add_subparsers(dest="command", required=True)
    take = commands.add_parser("import", help="turn a URDF, MJCF, glTF or USD file into a scene")
    take.add_argument("file")
    take.add_argument("-o", "--output", required=True, metavar="SCENE", help="the scene to write (TOML)")
    take.add_argument("--format", choices=["urdf", "mjcf", "gltf", "usd"], help="unless the name tells")
    take.add_argument(
        "--joint",
        type=_coordinate,
        action="append",
        default=[],
        metavar="JOINT=VALUE",
        help="where a joint starts (rad, m)",
    )
    take.add_argument("--fixed-base", action="store_true", help="the first link does not move")
    take.add_argument(
        "--fixed", action="append", default=[], metavar="PATTERN", help="nodes of a glTF scene that do not move"
    )
    take.add_argument(
        "--package", type=_package, action="append", default=[], metavar="NAME=FOLDER", help="where package://NAME is"
    )
    take.add_argument("--self-collision", action="store_true", help="links of a URDF robot meet each other")
    take.add_argument(
        "--strict", action="store_true", help="write nothing where bodies can move otherwise than in the description"
    )
    survey = commands.add_parser("import-check", help="read and run every model of a folder, and print a table")
    survey.add_argument("folder", nargs="?", default=".")
    survey.add_argument("--match", default="*", metavar="PATTERN", help="only files whose path ends like this")
    survey.add_argument("--seconds", type=float, default=1.0, help="simulated time (s)")
    survey.add_argument("--patience", type=float, default=60.0, help="longest time for a run (s)")
    survey.add_argument("--json", metavar="FILE", help="write the rows, one object a line")
    survey.add_argument("--one", metavar="FILE", help=argparse.SUPPRESS)
    return parser


def _import(options: argparse.Namespace) -> int:
    try:
        imported = load(
            options.file,
            format=options.format,
            configuration=dict(options.joint),
            fixed_base=options.fixed_base,
            fixed=options.fixed,
            packages=dict(options.package),
            self_collision=options.self_collision,
        )
        for note in imported.notes:
            print(f"note: {note}", file=sys.stderr)
        losses = sum(note.is_loss for note in imported.notes)
        if options.strict and losses:
            print(f"{options.file}: {losses} notes on what the scene does not have (--strict)", file=sys.stderr)
            return 2
        text = imported.toml()
        check(text)
        with replacing(options.output) as part:
            part.write_text(text, encoding="utf-8")
    except (DrystoneError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    bodies, joints = len(imported.scene["bodies"]), len(imported.scene["joints"])
    print(f"{options.output}: {bodies} bodies, {joints} joints")
    return 0


def _import_check(options: argparse.Namespace) -> int:
    from .importers import campaign

    if options.one:
        print(campaign.as_json(campaign.examine(Path(options.one), options.seconds, options.patience)))
        return 0
    folder = Path(options.folder)
    if not folder.is_dir():
        print(f"{folder}: no such folder", file=sys.stderr)
        return 2
    paths, rows = campaign.files(folder, options.match), []
    for row in campaign.survey(paths, options.seconds, options.patience):
        rows.append(row)
        print(f"{len(rows)}/{len(paths)} {row.file}: {row.read} {row.run}", file=sys.stderr)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(campaign.as_json(row) + "\n")
    print(campaign.table(rows, folder))
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
