import subprocess
import sys

import pytest

from growbox_tui.models import catalog
from growbox_tui.models.protocol import ModelFacts
from growbox_tui.models.providers import PROVIDERS, endpoint, models_url


def test_context_and_prices_are_known_by_full_and_by_bare_name():
    known = catalog.facts("anthropic/claude-sonnet-4-5")
    assert known == catalog.facts("claude-sonnet-4-5")
    assert (known.context, known.max_output, known.min_cache_tokens) == (200_000, 64_000, 1024)
    assert (known.input_price, known.cache_read_price) == (3e-06, 3e-07)


def test_a_model_that_nobody_lists_has_no_facts():
    assert catalog.facts("openai/no-such-model") == ModelFacts()
    assert catalog.facts('openai/"}: {') == ModelFacts()


def test_a_model_takes_tools_unless_the_table_says_that_it_does_not():
    assert catalog.takes_tools("gemini/gemini-2.5-pro")
    assert catalog.takes_tools("replicate/meta/llama-2-70b-chat")
    assert not catalog.takes_tools("publicai/swiss-ai/apertus-8b-instruct")
    assert catalog.takes_tools("custom_openai/no-such-model")


def test_a_silent_entry_is_answered_by_the_next_spelling():
    assert catalog.takes_tools("azure/eu/o3-mini")


def test_another_word_for_a_model_has_the_facts_of_the_model_that_is_meant():
    assert catalog.facts("azure_ai/claude-opus-latest").context
    assert catalog.takes_tools("azure_ai/claude-opus-latest")


def test_reading_facts_imports_no_litellm():
    code = (
        "import sys; from growbox_tui.models.catalog import facts; "
        "assert facts('gpt-4o').context; assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_models_taken_by_default_are_listed():
    for provider in PROVIDERS.values():
        if provider.model and provider.name != "openrouter":
            assert catalog.facts(f"{provider.name}/{provider.model}").context, provider.name


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("openai/gpt4o", "openai/gpt-4o"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("claude-sonet-4-5", "anthropic/claude-sonnet-4-5"),
    ],
)
def test_a_slip_in_a_name_finds_the_name_that_was_meant(slip: str, meant: str):
    assert catalog.nearest(slip)[0] == meant


def test_a_name_that_is_like_nothing_finds_nothing():
    assert catalog.nearest("qqqqqqqq/zzzz") == []


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://h.example/v1", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/", "https://h.example/v1/chat/completions"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
        ("https://h.example/api/paas/v4", "https://h.example/api/paas/v4/chat/completions"),
        ("https://h.example/x/chat/completions", "https://h.example/x/chat/completions"),
    ],
)
def test_a_base_url_leads_to_the_endpoint_however_it_is_written(base: str, url: str):
    assert endpoint(base, "openai") == url


def test_anthropic_base_urls_are_given_without_or_with_the_version():
    assert endpoint("https://a.example", "anthropic") == "https://a.example/v1/messages"
    assert endpoint("https://a.example/v1", "anthropic") == "https://a.example/v1/messages"
    assert endpoint("https://a.example/proxy", "anthropic") == "https://a.example/proxy/v1/messages"
    assert models_url("https://a.example", "anthropic") == "https://a.example/v1/models"
