"""README's picture: the real program during its demonstration, rendered by itself.

python -m tests.tui.picture .pictures/screen.svg
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from growbox_tui.agent.events import ApprovalAsked
from growbox_tui.app import GrowboxApp
from growbox_tui.demo import questions, script, unpack
from growbox_tui.settings import load
from growbox_tui.wiring import Workbench

SIZE = (120, 40)
SHOWN = ("edit_file", "edit NOTES.md")
"""The moment of the picture: this hand asks for this, with recall before it."""


async def picture(home: Path) -> str:
    """The SVG of the demonstration at the moment at which an edit is put up for approval."""
    folder = home / "orchard"
    unpack(folder)
    settings = replace(
        load({"GROWBOX_HOME": str(home)}),
        model=f"script/{script()}",
        memory=home / "memory.db",
    )
    bench = Workbench(settings, folder, demo=True)
    app = GrowboxApp(bench, prompts=questions())
    async with app.run_test(size=SIZE) as pilot:
        while app.session is None:
            await pilot.pause(0.05)
        reader = app.session.stream.reader()
        async for event in reader:
            if isinstance(event, ApprovalAsked):
                await pilot.pause(0.3)
                if (event.name, *event.claims) == SHOWN:
                    await pilot.pause(0.5)
                    return app.export_screenshot(title="growbox")
                app.session.answer(event.ask, "once")
    raise RuntimeError("the demonstration ended without an edit")


def main() -> None:
    """Render it to the file named."""
    with tempfile.TemporaryDirectory() as home:
        # The title shows the folder as its owner would see it.
        os.environ |= {"COLORTERM": "truecolor", "HOME": home}
        svg = asyncio.run(picture(Path(home)))
    Path(sys.argv[1]).write_text(svg, "utf-8")


if __name__ == "__main__":
    main()
