"""Workbench: the composition root, the only place that names every concrete class.

Heavy imports happen inside its methods, so that a screen can be painted first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from growbox_tui.file_index import FileIndex
from growbox_tui.settings import Settings, save

if TYPE_CHECKING:
    from executors.registry import Registry
    from executors.workspace import Workspace
    from growbox_tui.agent.conversation import Conversation
    from growbox_tui.agent.events import Event, SessionOpened
    from growbox_tui.agent.looks import Looks
    from growbox_tui.agent.session import Session
    from growbox_tui.bindings import Granted
    from growbox_tui.models.judges.choose import AnyJudge
    from growbox_tui.models.protocol import Model
    from memory import Memory
    from memory.context.window import Window
    from memory.recall.judge_calibration import Calibration
    from memory.types import Entry, MemoryState, SessionInfo

Resume = str | Literal["last"] | None
"""A session's id, the newest of this folder, or a new one."""


class Workbench:
    """Opens memory once, and sessions on it."""

    def __init__(
        self,
        settings: Settings,
        project: Path,
        *,
        env: Mapping[str, str] | None = None,
        stand_in: str = "",
        embed: Literal["behind", "meanwhile"] = "behind",
        demo: bool = False,
    ) -> None:
        """
        Args:
            settings: what the user set.
            project: the folder to work in.
            env: keys and base URLs; the process's own when ``None``.
            stand_in: who answers approvals: ``yes``, ``no``, or empty for the user.
            embed: when memories are embedded, see ``Session``.
            demo: whether this is the demonstration.
        """
        self.settings = settings
        self.project = project.resolve()
        self.demo = demo
        self._env = os.environ if env is None else env
        self._stand_in = stand_in
        self._embed: Literal["behind", "meanwhile"] = embed
        self._memory: Memory | None = None
        self._sessions: list[Session] = []
        self._files = FileIndex(self.project)
        self._granted: list[Granted] = []
        self._judge: AnyJudge | None = None
        self._judge_fault = ""
        """Why the judge that is set cannot be had, in words."""
        self._given: dict[str, str] = {}
        """A voice's own name → the name that it was asked for by (a whole path, for a file)."""

    # ---- sessions ----------------------------------------------------------------------------

    async def open(self, resume: Resume = None, model: str = "") -> Session:
        """A session, ready to ``start``; ``model`` is a name that is used before all others.

        Raises ``MemoryFileError``, ``ModelError`` or ``SessionError``.
        """
        from growbox_tui.agent.session import Session
        from growbox_tui.agent.stream import EventStream
        from growbox_tui.agent.words import sentences
        from growbox_tui.claims import Claims

        memory = await self._open_memory()
        claims = Claims(memory, str(self.project))
        found, missing = await claims.find(resume)
        voice: Model | None = None
        try:
            voice, why = await self._choose_model(model, found.model if found else "")
            session_id = await claims.take(found, self._given[voice.name])
            stream = EventStream()
            talk = await self._conversation(memory, session_id, voice, stream.publish)
            words = sentences(missing, why, self._judge_fault)
            opened = await self._opened(talk, memory, found is not None, words)
            transcript = await self._transcript(memory, session_id) if found else []
        except BaseException:
            await claims.release()
            if voice is not None:
                await voice.close()
            raise
        session = Session(
            talk,
            stream,
            open_model=self.open_model,
            opened=opened,
            transcript=transcript,
            embed=self._embed,
            release=claims.release,
            forget_commands=self._granted[-1].forget,
        )
        self._sessions = [*(each for each in self._sessions if not each.closed), session]
        return session

    async def _transcript(self, memory: Memory, session_id: str) -> list[Entry]:
        """The messages since the last nap: what a nap put down stays down."""
        first = await memory.kept(f"napped:{session_id}", 0)
        return [entry for entry in await memory.transcript(session_id) if entry.seq >= first]

    async def open_model(self, name: str) -> Model:
        """A voice by its name. Raises ``ModelError``."""
        return self._voice(name)

    def _voice(self, name: str, context: int | None = None) -> Model:
        from growbox_tui.models.factory import open_model

        given = self._given.get(name, name)
        provider = given.split("/", 1)[0]
        model = open_model(
            given,
            self._env,
            base_url=self.settings.base_urls.get(provider),
            key_env=self.settings.key_envs.get(provider),
            context=context,
            prefixes=self.settings.data / "prefixes",
        )
        self._given[model.name] = given
        return model

    async def _choose_model(self, wanted: str, before: str) -> tuple[Model, str]:
        """The model that was chosen, else the one that the conversation had, else what is found."""
        chosen_name = wanted or self.settings.model
        if chosen_name:
            return await self.open_model(chosen_name), ""
        from growbox_tui.models.discover import choose
        from growbox_tui.models.protocol import ModelError

        gone = ""
        if before:
            try:
                return await self.open_model(before), ""
            except ModelError as error:
                gone = f"{before} is not to be had now ({error.text}) "
        own = {"base_urls": self.settings.base_urls, "key_envs": self.settings.key_envs}
        chosen = await choose(self._env, **own)
        model = self._voice(chosen.name, chosen.context)
        return model, f"{gone}{chosen.why}. {chosen.how_to_choose_better}"

    async def _conversation(
        self, memory: Memory, session_id: str, model: Model, publish: Callable[[Event], None]
    ) -> Conversation:
        from executors.workspace import Workspace
        from growbox_tui import bindings, reading
        from growbox_tui.agent.asking import Asking
        from growbox_tui.agent.conversation import Conversation
        from growbox_tui.agent.dispatch import Dispatch
        from growbox_tui.agent.gate import Policy
        from growbox_tui.agent.looks import Looks
        from growbox_tui.agent.take_up import take_up

        workspace = Workspace(self.project)
        window = await memory.window(session_id)
        looks = Looks()
        hands = self._hands(memory, workspace, window, looks)
        granted = bindings.Granted(memory, str(self.project))
        policy = Policy(
            self.project,
            lambda path: workspace.is_secret(Path(path)),
            commands=await granted.commands(),
        )
        self._granted.append(granted)
        talk = Conversation(
            project=self.project,
            model=model,
            mind=memory,
            window=window,
            dispatch=Dispatch(hands, policy, Asking(publish, self._stand_in), granted.add),
            publish=publish,
            tools=hands.tools(),
            system=partial(bindings.system_text, self.settings, self.project),
            read_file=bindings.mention_reader(workspace, policy),
            wanted=bindings.wanted(self.settings),
            keep_warm=bindings.keep_warm(self.settings),
            looks=looks,
            idle=partial(reading.measure_behind, self._judge, memory),
        )
        await take_up(talk)
        return talk

    async def _opened(
        self, talk: Conversation, memory: Memory, resumed: bool, why: str
    ) -> SessionOpened:
        from growbox_tui.agent.events import SessionOpened

        state = await memory.state()
        return SessionOpened(
            session=talk.window.session,
            project=str(self.project),
            model=talk.model.name,
            why=why,
            resumed=resumed,
            turns=talk.window.turns,
            memories=state.nodes,
            context=talk.model.facts.context,
            window=talk.limit,
        )

    # ---- memory ------------------------------------------------------------------------------

    async def _open_memory(self) -> Memory:
        if self._memory is None:
            from memory import Memory
            from memory.hyperspace.embedders.choose import choose

            self._memory = await Memory.open(self.settings.memory, embedder=choose())
            await self._use_judge(self._memory)
        return self._memory

    async def _use_judge(self, memory: Memory) -> None:
        """Give memory its judge; nothing of it is loaded before it is asked."""
        from growbox_tui.reading import judge_for

        name, open_voice = self.settings.subconscious, self._voice
        self._judge, self._judge_fault = await judge_for(name, memory, open_voice)
        memory.use_judge(self._judge)

    def _hands(
        self, memory: Memory, workspace: Workspace, window: Window, looks: Looks
    ) -> Registry:
        from executors.registry import builtin
        from growbox_tui.looking import Looking

        def able() -> bool:
            return self._judge is not None and self._judge.able

        looking = Looking(memory, str(self.project), window, looks, able)
        return builtin(workspace, looking.look, looking.page)

    async def measure_judge(self) -> Calibration:
        """Ask the judge that is set about pairs of this memory file. Raises ``ModelError``."""
        from growbox_tui.reading import measure

        return await measure(self.settings.subconscious, await self._open_memory(), self._voice)

    async def sessions(self) -> list[SessionInfo]:
        """Conversations on file, newest first, those of this folder before others."""
        memory = await self._open_memory()
        found = await memory.sessions()
        return sorted(found, key=lambda info: (info.project != str(self.project), -info.updated))

    async def state(self) -> MemoryState:
        """Figures of the memory file."""
        return await (await self._open_memory()).state()

    # ---- small things ------------------------------------------------------------------------

    def model_names(self) -> list[str]:
        """Names worth offering: the current one, and those whose key is at hand."""
        from growbox_tui.models.offered import offered

        urls, envs = self.settings.base_urls, self.settings.key_envs
        names = [session.model_name for session in self._sessions[-1:]]
        return list(dict.fromkeys([*names, *offered(self._env, base_urls=urls, key_envs=envs)]))

    def files(self, prefix: str, limit: int = 20) -> list[str]:
        """Workspace paths for ``@`` completion."""
        return self._files.match(prefix, limit)

    def save_setting(self, key: str, value: str) -> None:
        """Keep a setting in the config file. Raises ``SettingsError``."""
        save(self.settings, key, value)

    async def close(self) -> None:
        """Let go of everything."""
        for session in self._sessions:
            await session.close()
        self._sessions.clear()
        for granted in self._granted:
            await granted.settle()
        await self._files.close()
        if self._memory is not None:
            await self._memory.close()
            self._memory = None
        if self._judge is not None:
            await self._judge.close()
            self._judge = None
