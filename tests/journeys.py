"""Ways of a stranger and of a developer through the site, with scripts and without.

The owner's way is in browser.py, and tests/owners_week.rs follows it through the states of a site.
"""

import json
import urllib.request

from selenium.webdriver.common.keys import Keys


def a_stranger_checks_a_fact_and_finds_an_agent(browser):
    """The receipt leads to its line; a category, an example and a similar agent lead to agents."""
    for are_on in (True, False):
        browser.scripts(are_on)
        try:
            browser.open("/")
            fact = browser.find(".receipt .fact").get_attribute("textContent")
            browser.find(".receipt a").click()
            marked = browser.find(".lines > li:target, .lines > li:has(:target)")
            assert marked.is_displayed() and fact in marked.text, (fact, marked.text)
            browser.open("/")
            browser.find(".kinds a").click()
            browser.until(lambda: "category=" in browser.driver.current_url, "the agents of a category")
            assert browser.all(".hits h3 a")
            browser.open("/")
            need = browser.find(".examples a")
            words = need.text
            need.click()
            assert browser.find("#q").get_attribute("value") == words
            first = browser.find(".hits h3 a")
            name = first.text
            first.click()
            browser.until(lambda: browser.all(".page-head h1"), "the page of the agent")
            assert browser.find(".page-head h1").text == name
            for part in (".facts-row time", ".facts-row .ready, .facts-row .callable", "link[rel=canonical]"):
                assert browser.all(part), f"{part} on the page of {name}"
            browser.find("#similar ~ * a").click()
            browser.until(lambda: browser.find(".page-head h1").text != name, "a similar agent")
        finally:
            browser.scripts(True)


def a_developer_connects_and_copies_a_call(browser):
    """The configuration of the front page is that of an MCP server; a call is copied from a hit."""
    browser.open("/")
    browser.until(lambda: browser.all(".door .copy"), "a button that copies")
    browser.find(".door .copy").click()
    server = json.loads(copied(browser))["mcpServers"]["agentdex"]
    assert server == {"type": "http", "url": f"{browser.url}/mcp"}, server
    assert tools_of(server["url"]), "no tools"
    browser.open("/search?q=book+a+table+for+four")
    call = browser.find(".hit-call .copy")
    assert call.text == "Copy call"
    call.click()
    browser.until(lambda: browser.find(".hit-call .copy").text == "Copied", "the call is copied")
    assert copied(browser).startswith("curl "), copied(browser)
    browser.scripts(False)
    try:
        browser.open("/search?q=book+a+table+for+four")
        browser.find(".hit-call summary").click()
        assert browser.find(".hit-call code").text.startswith("curl ")
        browser.find(".hits h3 a").click()
        shown = ".switch :checked + label + .panel code"
        assert "curl" in browser.find(shown).text
        browser.find("#call-curl").send_keys(Keys.ARROW_RIGHT)
        assert "import" in browser.find(shown).text
        browser.open("/search?q=repair+a+submarine")
        assert browser.find(".nothing a[href^='/search/feed.atom']").is_displayed()
    finally:
        browser.scripts(True)


def filters_are_one_skip_away(browser):
    """The second link of the results leads to the filters, and callable agents come first there."""
    browser.open("/search?q=book+a+table")
    browser.press(Keys.TAB, Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to filters"
    browser.press(Keys.ENTER, Keys.TAB)
    focused = browser.driver.switch_to.active_element
    assert focused.tag_name == "summary" and focused.text == "Callable", focused.text
    assert "match" in browser.find("#results").text


def copied(browser):
    """Gives the text that was copied last."""
    return browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")


def tools_of(address):
    """Gives the tools that an MCP server lists."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body, headers)) as answer:
        return json.load(answer)["result"]["tools"]
