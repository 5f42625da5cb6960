from __future__ import annotations

from pathlib import Path

import pytest

from growbox_tui.agent.limits import KeepWarm, Wanted
from growbox_tui.bindings import keep_warm, wanted
from growbox_tui.settings import Settings, SettingsError, load, save


def written(folder: Path, text: str) -> dict[str, str]:
    (folder / "config.toml").write_text(text, "utf-8")
    return {"GROWBOX_HOME": str(folder)}


def test_defaults_lie_in_the_home_that_is_set(tmp_path: Path) -> None:
    settings = load({"GROWBOX_HOME": str(tmp_path)})
    assert settings.memory == tmp_path / "memory.db"
    assert settings.theme == "growbox-dark"
    assert settings.sources == {}


def test_without_a_home_the_systems_own_folders_are_used() -> None:
    settings = load({})
    assert settings.memory.parts[-2:] == ("growbox", "memory.db")
    assert settings.config.name == "config.toml"


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    env = written(tmp_path, 'model = "a/file"\ntheme = "moss"\n')
    assert load(env).model == "a/file"
    env["GROWBOX_MODEL"] = "a/environment"
    assert load(env).model == "a/environment"
    settings = load(env, model="a/flag")
    assert settings.model == "a/flag"
    assert settings.sources == {"model": "flag", "theme": "file"}


def test_providers_of_ones_own_are_read(tmp_path: Path) -> None:
    text = '[providers.openai]\nbase_url = "http://127.0.0.1:9/v1"\nkey_env = "MY_KEY"\n'
    settings = load(written(tmp_path, text))
    assert settings.base_urls == {"openai": "http://127.0.0.1:9/v1"}
    assert settings.key_envs == {"openai": "MY_KEY"}


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ('\nmodle = "x"\n', "line 2", "modle", "model"),
        ('[providers.openai]\nbase_ulr = "x"\n', "line 2", "base_ulr", "base_url"),
        ("theme = 3\n", "line 1", "theme", "Mend"),
        ('providers = "x"\n', "line 1", "providers", "Mend"),
        ('[providers]\nopenai = "x"\n', "line 2", "openai", "Mend"),
        ("zebra = 1\n", "line 1", "zebra", "Known keys"),
        ("window = 12\n", "line 1", "window", "Mend"),
        ('window = "most"\n', "line 1", "window", "Mend"),
        ("window = true\n", "line 1", "window", "Mend"),
        ("windw = 64000\n", "line 1", "windw", "window"),
        ("region = -1\n", "line 1", "region", "Mend"),
        ("region = nan\n", "line 1", "region", "Mend"),
        ('l1_policy = "firm"\n', "line 1", "l1_policy", "Mend"),
        ("warmth = true\n", "line 1", "warmth", "Mend"),
        ("[warmth]\nkeep_alive = 1\n", "line 2", "keep_alive", "Mend"),
        ("[warmth]\nceiling = inf\n", "line 2", "ceiling", "Mend"),
        ("[warmth]\nceilin = 1\n", "line 2", "ceilin", "ceiling"),
    ],
)
def test_a_wrong_setting_is_named_with_its_place_and_the_nearest_right_one(
    tmp_path: Path, text: str, line: str, key: str, hint: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(written(tmp_path, text))
    assert str(tmp_path / "config.toml") in caught.value.text
    assert line in caught.value.text
    assert key in caught.value.text
    assert hint in caught.value.hint


def test_the_prompts_size_and_warmth_are_read(tmp_path: Path) -> None:
    text = (
        'window = "full"\nregion = 0.4\nl1_policy = "hard"\n'
        "[warmth]\nkeep_alive = true\nceiling = 2\nnap = true\n"
    )
    settings = load(written(tmp_path, text))
    assert (settings.window, settings.region, settings.l1_policy) == ("full", 0.4, "hard")
    assert (settings.keep_alive, settings.ceiling, settings.nap) == (True, 2.0, True)
    assert settings.sources["ceiling"] == "file"
    assert (wanted(settings), keep_warm(settings)) == (
        Wanted(None, 0.4, "hard"),
        KeepWarm(True, 2.0, True),
    )
    plain = load({"GROWBOX_HOME": str(tmp_path / "none")})
    assert wanted(plain) == Wanted(64_000, None, "literal")
    assert keep_warm(plain) == KeepWarm(False, 0.50, False)


def test_a_broken_file_is_named_with_the_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="line 2"):
        load(written(tmp_path, 'theme = "moss"\nmodel = \n'))


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="cannot be read"):
        load({"GROWBOX_HOME": str(tmp_path)})


def test_saving_changes_one_line_and_leaves_the_rest(tmp_path: Path) -> None:
    before = '# mine\ntheme = "moss"\n\n[providers.openai]\nkey_env = "K"\n'
    settings = load(written(tmp_path, before))
    save(settings, "theme", "paper")
    after = (tmp_path / "config.toml").read_text("utf-8")
    assert after == before.replace("moss", "paper")


@pytest.mark.parametrize("before", ["", '[providers.openai]\nkey_env = "K"\n', "# only words\n"])
def test_saving_a_new_key_keeps_it_out_of_the_tables(tmp_path: Path, before: str) -> None:
    settings = load(written(tmp_path, before))
    save(settings, "model", 'odd/"name"\\')
    again: Settings = load({"GROWBOX_HOME": str(tmp_path)})
    assert again.model == 'odd/"name"\\'
    assert again.key_envs == settings.key_envs


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    settings = load({"GROWBOX_HOME": str(tmp_path / "file" / "below")})
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SettingsError, match="cannot be written"):
        save(settings, "theme", "moss")
