"""Rigid-body dynamics with every module swappable at run time.

A :class:`World` holds bodies, joints and forces; a preset (``paradigm``) names one choice for each of the modules that move
them, and each module can be replaced or set, also while the world runs. Units are SI (m, kg, s, rad), quaternions are
``[x, y, z, w]``, the world is right-handed with y up unless its gravity says otherwise.

>>> import drystone
>>> world = drystone.World("box-stack", paradigm="load-propagation")
>>> report = world.advance(steps=10)
>>> world.positions.shape
(26, 3)
"""

from . import importers, lcp, sweeps, vector
from ._native import StepReport, __version__
from .catalogue import bundled_scenes, catalogue, modules, paradigms
from .errors import DrystoneError, InputError, InternalError, LcpError, SceneError, SimulationError
from .handles import Body, Force, Joint, Timer
from .plain import to_plain
from .query import query
from .results import BrokenJoint, ContactEvent, Contacts, Event, Frames, Hits, Replay, Tick, Touch
from .run import check, load_scene, run
from .sweeps import sweep
from .world import Snapshot, World

__all__ = [
    "Body",
    "BrokenJoint",
    "ContactEvent",
    "Contacts",
    "DrystoneError",
    "Event",
    "Force",
    "Frames",
    "Hits",
    "InputError",
    "InternalError",
    "Joint",
    "LcpError",
    "Replay",
    "SceneError",
    "SimulationError",
    "Snapshot",
    "StepReport",
    "Tick",
    "Timer",
    "Touch",
    "World",
    "__version__",
    "bundled_scenes",
    "catalogue",
    "check",
    "importers",
    "lcp",
    "load_scene",
    "modules",
    "paradigms",
    "query",
    "run",
    "sweep",
    "sweeps",
    "to_plain",
    "vector",
]
