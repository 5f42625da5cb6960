from dataclasses import replace

import pytest

from growbox_tui.models import catalog
from growbox_tui.models.cache_fields import fields_for
from growbox_tui.models.cache_rules import FOR_EVER, NONE, CacheRules, rules_for, rules_of
from growbox_tui.models.factory import open_model
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import ModelFacts

DAY = 86_400.0


def of(name: str, base_url: str = "", facts: ModelFacts | None = None) -> CacheRules:
    return rules_for(name, facts or catalog.facts(name), base_url)


CLAUDE = CacheRules("marks", 300, min_tokens=512, lookback=20, read=0.05, write=1.25)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("anthropic/claude-sonnet-5-5", replace(CLAUDE, long_ttl_s=3600)),
        ("anthropic/claude-haiku-4-5", replace(CLAUDE, long_ttl_s=3600, min_tokens=4096, read=0.1)),
        ("bedrock/us.anthropic.claude-opus-5-5", replace(CLAUDE, long_ttl_s=3600)),
        ("vertex_ai/claude-fable-5-1", replace(CLAUDE, long_ttl_s=3600, read=0.025)),
        ("openrouter/anthropic/claude-sonnet-5.5", CLAUDE),
        ("openai/gpt-4o", CacheRules("prefix", 600, 1024, 128, read=0.5)),
        ("openai/gpt-5.4", CacheRules("prefix", DAY, 1024, 128)),
        ("openai/gpt-5.5", CacheRules("prefix", DAY, 1024, 128)),
        (
            "openai/gpt-6.1-sol",
            CacheRules("marks", 1800, 1024, read_marks=80, implicit=True, read=0.05, write=1.25),
        ),
        (
            "azure/gpt-5.6",
            CacheRules("marks", 1800, 1024, max_marks=0, read_marks=80, implicit=True, write=1.25),
        ),
        ("deepseek/deepseek-flash", CacheRules("units", DAY, caches_reply=True, read=0.02)),
        ("gemini/gemini-2.5-flash", CacheRules("prefix", 300, 1024)),
        ("gemini/gemini-3.1-pro-preview", CacheRules("prefix", 300, 4096)),
        ("openrouter/google/gemini-3.7-flash", CacheRules("marks", 300, 4096, max_marks=1)),
        ("xai/grok-4.7", CacheRules("prefix", 600, step=128, read=0.25)),
        ("moonshot/kimi-k3", CacheRules("prefix", 300, step=256)),
        ("dashscope/qwen3.7-max", CacheRules("marks", 300, 1024, lookback=20, write=1.25)),
        ("mistral/devstral-latest", CacheRules("prefix", 300)),
        ("hosted_vllm/m", CacheRules("prefix", 3600, step=16, read=0, reports=False)),
        ("llamacpp/m", CacheRules("slot", FOR_EVER, caches_reply=True, read=0)),
        ("local/bundled", CacheRules("slot", FOR_EVER, caches_reply=True, read=0)),
        ("groq/m", CacheRules("prefix", 300, 1024, 128, read=0.5, reports=False)),
    ],
)
def test_each_provider_has_the_rules_that_it_states(name: str, rules: CacheRules):
    assert of(name) == rules


def test_openrouter_keeps_an_upstream_no_longer_than_its_sticky_session():
    assert of("openrouter/openai/gpt-6.1-sol").ttl_s == 600
    assert of("openrouter/deepseek/deepseek-v4-pro").kind == "units"
    assert of("openrouter/deepseek/deepseek-v4-pro").ttl_s == 600


@pytest.mark.parametrize("name", ["openai/gpt-6.1-sol", "dashscope/qwen3-coder-plus"])
def test_an_address_that_is_not_the_providers_own_promises_nothing_of_its_rules(name: str):
    assert of(name, "http://127.0.0.1:4000/v1").kind == "prefix"
    assert fields_for(name, "http://127.0.0.1:4000/v1") == fields_for("groq/m")


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("openai/gpt-6.1-sol", "https://eu.api.openai.com/v1"),
        ("dashscope/qwen3-coder-plus", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("deepseek/deepseek-flash", "https://api.deepseek.com/v1"),
        ("xai/grok-4.7", "api.x.ai"),
    ],
)
def test_the_providers_own_addresses_are_known(name: str, url: str):
    assert of(name, url) == of(name)
    assert fields_for(name, url) == fields_for(name)


@pytest.mark.parametrize(
    "url", ["https://api.openai.com.evil.example/v1", "https://notopenai.com/v1"]
)
def test_an_address_that_only_looks_like_the_providers_is_not(url: str):
    assert not fields_for("openai/gpt-6.1-sol", url).marks


def test_prices_come_from_the_model_and_a_price_of_nothing_is_no_gift():
    facts = ModelFacts(input_price=4e-6, cache_read_price=1e-6, cache_write_price=8e-6)
    rules = of("anthropic/m", facts=facts)
    assert (rules.read, rules.write) == (0.25, 2.0)
    free = replace(facts, cache_write_price=0.0)
    assert of("deepseek/m", facts=free).write == 1.0
    assert of("anthropic/m", facts=free).write == 1.25
    assert of("anthropic/m", facts=ModelFacts()).read == 0.1


def test_a_claude_whose_marks_are_refused_caches_nothing_and_a_gpt_falls_back_to_its_own_mark():
    facts = ModelFacts()
    bare = fields_for("groq/m")
    assert rules_for("anthropic/claude-opus-5", facts, fields=bare) == NONE
    fallen = rules_for("openai/gpt-5.6", facts, fields=bare)
    assert (fallen.max_marks, fallen.implicit) == (0, True)
    assert rules_for("dashscope/qwen3-max", facts, fields=bare).kind == "prefix"


def test_a_voice_says_itself_which_rules_its_server_keeps():
    env = {"OPENAI_API_KEY": "k", "DEEPSEEK_API_KEY": "k"}
    assert rules_of(open_model("openai/gpt-6.1-sol", env)).kind == "marks"
    elsewhere = open_model("openai/gpt-6.1-sol", env, base_url="http://127.0.0.1:9/v1")
    assert rules_of(elsewhere).kind == "prefix"
    assert rules_of(open_model("deepseek/deepseek-v4-pro", env)).kind == "units"
    assert rules_of(open_model("bedrock/us.anthropic.claude-opus-5-5", env)).kind == "marks"
    assert rules_of(open_model("local/bundled", env)).kind == "slot"


def test_who_knows_the_server_behind_another_address_gives_its_fields():
    name = "openai/gpt-6.1-sol"
    model = OpenAIModel(name, base_url="http://127.0.0.1:9", fields=fields_for(name))
    assert model.cache_rules == rules_for(name, ModelFacts())
