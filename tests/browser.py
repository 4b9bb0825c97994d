"""The site in a real browser, over the demo and over hostile sites.

    tests/browser.py BINARIES NODE_MODULES
    tests/browser.py BINARIES NODE_MODULES --screenshots DIR [--sites FOLDER]

BINARIES is the folder of the programs, NODE_MODULES holds axe-core and html-validate. The second
form writes pictures of every page, light and dark, of a desktop and a phone.
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback
import urllib.parse
import urllib.request

import feedparser
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from journeys import (
    a_developer_connects_and_copies_a_call,
    a_stranger_checks_a_fact_and_finds_an_agent,
    filters_are_one_skip_away,
)
from registry_of_demo import registry
from registry_of_sites import of_sites, text_of

SECONDS = 10
UNLIMITED = ["--rate-limit", "off", "--admin-listen", "off"]
# Width, height and colours of the forms in which every page is looked at.
FORMS = {
    "light": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
    "phone-dark": (390, 844, "dark"),
}
NARROWEST = (320, 640, "light")

PAGES = {
    "home": "/",
    "results": "/search?q=book+a+table",
    "all": "/search",
    "nothing": "/search?q=repair+a+submarine",
    "unknown-address": "/nothing-here",
    "unknown-site": "/site/nowhere.example",
    "unknown-in-search": "/search?q=nowhere.example",
    "owners": "/owners",
    "owners-unknown": "/owners?domain=nowhere.example",
    "owners-fault": "/owners?domain=localhost",
    "submit": "/submit",
    "recheck": "/recheck?domain=nowhere.example",
    "report": "/report",
    "leave": "/leave",
    "return": "/return",
    "categories": "/browse/categories",
    "capabilities": "/browse/capabilities",
    "formats": "/browse/formats",
    "new": "/browse/new",
    "gone": "/browse/gone",
    "stats": "/stats",
    "status": "/status",
    "validate": "/validate",
    "validate-broken": "/validate?example=broken-card",
    "validate-clean": "/validate?example=a2a",
    "validate-text": "/validate?example=agents-txt",
    "convert": "/convert",
    "docs": "/docs",
    "ranking": "/docs/ranking",
    "rules": "/docs/rules",
    "rule": "/docs/rules/A2-06",
    "bot": "/bot",
    "site-refused": "/site/members-only-golf.example",
    "about": "/about",
}


class Browser:
    """A browser of its own, without a network but for this machine."""

    def __init__(self, url):
        self.url = url
        self.states = None
        options = webdriver.ChromeOptions()
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            # The browser calls its maker otherwise.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ):
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd(
            "Browser.grantPermissions",
            {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": url},
        )

    def look(self, width, height, colours):
        """Sets the size of the window and the preferred colours."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [
            {"name": "prefers-color-scheme", "value": colours},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def scripts(self, are_on):
        """Turns JavaScript of pages on or off."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not are_on})

    def open(self, path):
        """Opens a page of the registry."""
        self.driver.get(self.url + path)

    def find(self, selector):
        """The first element that matches, as soon as there is one."""
        self.until(lambda: self.all(selector), f"an element {selector}")
        return self.all(selector)[0]

    def all(self, selector):
        """All elements that match."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        """Presses keys, one after the other, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def until(self, is_so, what):
        """Waits for a condition."""
        WebDriverWait(self.driver, SECONDS).until(lambda _: is_so(), what)

    def run(self, script, *arguments):
        """Runs a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def complaints(self):
        """What the console says, and requests to other origins, since the last call."""
        said = [it["message"] for it in self.driver.get_log("browser") if it["level"] == "SEVERE"]
        # The browser says that a page has such a status; the page is asked for because of it.
        said = [it for it in said if not any(f"status of {status}" in it for status in (400, 404))]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith((self.url, "data:", "chrome:", "about:")):
                    said.append(f"request to {address}")
        return said


def a_first_visit_ends_with_a_call_copied(browser):
    """Home, a need, the first hit, its call."""
    browser.open("/")
    browser.find(".hero input[type=search]").send_keys("book a table for four in Lisbon", Keys.ENTER)
    first = browser.find(".hits h3 a")
    assert "Mesa" in first.text, first.text
    first.click()
    browser.until(lambda: browser.all(".side .copy"), "buttons that copy")
    top = browser.run("return document.querySelector('.side .code').getBoundingClientRect().top")
    assert top < 600, f"the call is at {top} px"
    assert "curl" in copied_call(browser)
    # The keys of a choice move between the languages.
    browser.find("#call-curl").send_keys(Keys.ARROW_RIGHT)
    assert "import requests" in copied_call(browser)


def copied_call(browser):
    """Copies the call that is shown; gives the copy."""
    panel = browser.find(".switch :checked + label + .panel")
    panel.find_element(By.CSS_SELECTOR, ".copy").click()
    browser.until(lambda: panel.find_element(By.CSS_SELECTOR, ".copy").text == "Copied", "the call is copied")
    return browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")


def results_are_reached_by_keyboard_alone(browser):
    """The first hit is at most ten tab stops away, or one key."""
    browser.open("/search?q=book+a+table")
    browser.press(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to content"
    browser.press(Keys.ENTER)
    first = browser.find(".hits h3 a")
    for stops in range(2, 11):
        browser.press(Keys.TAB)
        if browser.driver.switch_to.active_element == first:
            break
    assert browser.driver.switch_to.active_element == first, "not within ten tab stops"
    print(f"  first hit at tab stop {stops}")
    browser.open("/search?q=book+a+table")
    body = browser.find("body")
    body.send_keys("j")
    assert browser.driver.switch_to.active_element == browser.find(".hits h3 a")
    browser.press("j")
    assert browser.driver.switch_to.active_element == browser.all(".hits h3 a")[1]
    browser.press("k", "/")
    assert browser.driver.switch_to.active_element == browser.find("#q")
    browser.press("weather", Keys.ENTER)
    browser.until(lambda: "q=weather" in browser.driver.current_url, "a second search")


def everything_works_without_scripts(browser):
    """Search, filters, an agent, a site and the validator, without JavaScript."""
    browser.scripts(False)
    try:
        browser.open("/")
        assert not browser.find(".theme").is_displayed()
        browser.find(".hero input[type=search]").send_keys("weather", Keys.ENTER)
        browser.find(".hits h3 a").click()
        browser.open("/search")
        browser.find(".facet[open] a").click()
        assert browser.all(".chips a.active")
        browser.find(".hits h3 a").click()
        browser.find(".crumbs a").click()
        assert browser.find(".answers").is_displayed()
        browser.open("/validate")
        browser.find("textarea").send_keys('{"name": "Ferry",}')
        browser.find("#source .button").click()
        browser.until(lambda: browser.all(".findings"), "findings")
        assert "DI-07" in browser.find(".findings").text
        assert "^" in browser.find(".excerpt").text
    finally:
        browser.scripts(True)


def a_broken_manifest_is_mended_converted_and_submitted(browser):
    """The validator from a broken example to the submission, with scripts and without."""
    for are_on in (True, False):
        browser.scripts(are_on)
        try:
            browser.open("/validate")
            browser.find("#example option[value=broken-card]").click()
            browser.find("#example ~ .button").click()
            assert "Not valid JSON: line 6" in browser.find("#result").text
            browser.find(".found .finding a").click()
            assert browser.driver.current_url.endswith("#L6"), browser.driver.current_url
            assert browser.find(".lines > li:target").is_displayed()
            browser.find(".lines > li:target .sign").click()
            assert browser.all(".finding:target")
            browser.find("button[value=correct]").click()
            browser.find("button[formaction='/validate/file']")
            assert "Corrected" in browser.find(".note-box").text
            assert browser.find("#result").text.startswith("Valid: A2A agent card")
            assert "/.well-known/agent.json" in browser.find("#publish ~ .steps").text
            browser.find("#to option[value=agents-txt]").click()
            browser.find("button[formaction='/convert#result']").click()
            assert "Village bakery" in browser.find(".checked .code").text
            assert "as an agents.txt" in browser.find("#result").text
            assert browser.find("#submitted").get_attribute("value") == "bakery.example"
            browser.find("#submitted").send_keys(Keys.ENTER)
            browser.until(lambda: "/submissions/" in browser.driver.current_url, "the state of the visit")
        finally:
            browser.scripts(True)


def a_file_is_shown_and_checked(browser):
    """A file shows as text before it is sent, and is checked as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "agents.json")
        with open(path, "wb") as file:
            file.write(b"\xef\xbb\xbf{\n  'name': 'Pier'\n}\n")
        browser.open("/validate")
        browser.find("#file").send_keys(path)
        browser.until(lambda: "Pier" in browser.find("#text").get_attribute("value"), "the text of the file")
        browser.find("#source .button").click()
        browser.until(lambda: browser.all(".note-box"), "what can be corrected")
        assert "a byte order mark" in browser.find(".note-box").text
        assert browser.find("#path").get_attribute("value") == "/.well-known/agents.json"


def an_owner_gets_from_the_site_to_the_rule_and_its_fix(browser):
    """Home, own domain, the hub, findings, rule."""
    browser.open("/")
    site = finding_site(browser)
    browser.open("/")
    browser.find("#domain").send_keys(f"https://{site}/", Keys.ENTER)
    browser.until(lambda: "/owners?domain=" in browser.driver.current_url, "the hub")
    browser.find(f".offers a[href='/site/{site}']").click()
    browser.until(lambda: f"/site/{site}" in browser.driver.current_url, "the page of the site")
    assert len(browser.all(".answers > div")) == 5
    assert browser.all(".finding"), "no finding"
    browser.find(".finding .rule a").click()
    assert "/docs/rules/" in browser.driver.current_url
    assert browser.find("#good").text == "Valid example"


def a_fact_leads_to_its_line_and_the_history_to_its_versions(browser):
    """Overview, the source of a fact, the raw document, the history."""
    browser.open("/search?q=book+a+table")
    browser.find(".hits h3 a").click()
    browser.find(".side .source").click()
    assert "/raw#d0" in browser.driver.current_url, browser.driver.current_url
    assert browser.find(".tabs [aria-current]").text == "Raw"
    lines = browser.run("return [...document.querySelectorAll('.lines > li')].filter((it) => it.matches(':has(:target)')).length")
    assert lines == 1, f"{lines} lines are marked"
    top = browser.run("return document.querySelector(':target').getBoundingClientRect().top")
    assert 0 <= top < 900, f"the line is at {top} px"
    browser.find(".tabs a:last-of-type").click()
    assert browser.find(".tabs [aria-current]").text == "History"
    assert browser.all(".day")


def owners_need_no_script(browser):
    """Recheck, report, submit and leave, without JavaScript."""
    browser.scripts(False)
    try:
        browser.open("/site/" + finding_site(browser))
        browser.find("form[action='/recheck'] button").click()
        browser.until(lambda: "/submissions/" in browser.driver.current_url, "the state of the visit")
        browser.until(lambda: looks_again_until(browser, ".stack"), "the result of the recheck")
        assert "Before and after" in browser.find(".stack caption").text
        browser.open("/site/nowhere.example")
        browser.find("form[action='/submit'] button").click()
        browser.until(lambda: "/submissions/" in browser.driver.current_url, "the state of the visit")
        browser.open("/submit")
        browser.find("#domain").send_keys("localhost", Keys.ENTER)
        browser.until(lambda: browser.all("#domain-fault"), "the fault of the field")
        assert browser.find("#domain-fault").is_displayed()
        assert browser.find("#domain").get_attribute("aria-describedby") == "domain-fault"
        assert browser.find("#domain").get_attribute("value") == "localhost"
        browser.open("/search?q=book+a+table")
        browser.find(".hits h3 a").click()
        browser.find("a[href^='/report?']").click()
        browser.find("#kind option[value=wrong]").click()
        browser.find("#text").send_keys("It has moved.")
        browser.find(".form .button").click()
        browser.until(lambda: "/reports/" in browser.driver.current_url, "the state of the report")
        assert "Stored, and open" in browser.find("[role=status]").text
        browser.open("/leave")
        browser.find("#domain").send_keys("leaving.example")
        browser.find(".form .button").click()
        browser.until(lambda: "/leave/" in browser.driver.current_url, "the state of the request")
        values = {it.text for it in browser.all(".code code")}
        assert len(values) == 1 and values.pop().startswith("agentdex-leave="), values
    finally:
        browser.scripts(True)


def looks_again_until(browser, selector):
    """Follows a state by its link; whether the element is there."""
    if browser.all(selector):
        return True
    browser.find("[data-refresh] .button").click()
    return False


def a_state_is_followed_by_the_script(browser):
    """The page of a recheck shows its result without being loaded again."""
    browser.open("/search?q=book+a+table")
    browser.find(".hits .facts-row a").click()
    browser.find("form[action='/recheck'] button").click()
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "the state of the visit")
    browser.run("document.body.dataset.same = 'yes'")
    browser.until(lambda: browser.all(".stack"), "the result of the recheck")
    assert browser.find("body").get_attribute("data-same") == "yes"


def no_page_is_older_than_the_registry(browser):
    """A browser that keeps pages shows a visit and a submission at its next request."""
    # No other test asks for a visit to it, which would have to wait.
    browser.open("/search?level=B&sort=name")
    site = browser.all(".hits .facts-row > a:first-child")[-1].text
    path = f"/site/{site}"
    visited = "return document.querySelector('.answers time').dateTime"
    kept = """
        const [page] = performance.getEntriesByType("navigation");
        return page.transferSize < page.encodedBodySize;
    """

    def is_kept():
        browser.open(path)
        return browser.run(kept)

    browser.open(path)
    before = browser.run(visited)
    browser.until(is_kept, "a page that the browser has kept, and asked about")
    asked = json.loads(answer_to(browser.url + f"/api/v1/sites/{site}/recheck", b""))
    browser.open(path)
    assert browser.all(f"a[href='/submissions/{asked['id']}']"), "the recheck is not shown"
    state = browser.url + asked["links"]["submission"]
    browser.until(lambda: json.loads(text_of(state))["after"], "the result of the recheck")
    browser.open(path)
    assert browser.run(visited) > before, "the visit is not shown"
    assert not browser.all("a[href^='/submissions/']"), "the recheck is over"
    browser.open("/site/appears.example")
    assert "listed yet" in browser.find("h1").text
    posted(browser.url, "/submit", domain="appears.example")
    browser.open("/site/appears.example")
    assert browser.find("a[href^='/submissions/']").is_displayed()


def feeds_are_read_as_pages_name_them(browser):
    """Each page that names a feed names one that a reader of feeds accepts, with an entry or more."""
    browser.open("/search?q=book+a+table")
    agent = browser.find(".hits h3 a").get_attribute("href").removeprefix(browser.url)
    site = browser.find(".hits .facts-row > a").get_attribute("href").removeprefix(browser.url)
    for path in ("/", "/search?q=book+a+table", agent, f"{agent}/history", site):
        browser.open(path)
        link = browser.all("link[type='application/atom+xml']")[0]
        feed = feedparser.parse(link.get_attribute("href"))
        assert not feed.bozo, f"{path}: {feed.bozo_exception}"
        assert (feed.version, feed.status) == ("atom10", 200), path
        assert feed.feed.title == link.get_attribute("title"), path
        assert feed.entries and all(it.id and it.title and it.updated_parsed for it in feed.entries), path
        again = feedparser.parse(feed.href, etag=feed.etag)
        assert again.status == 304, f"{path}: {again.status}"


def answer_to(url, body):
    """Posts a body; the answer as text."""
    with urllib.request.urlopen(urllib.request.Request(url, body)) as answer:
        return answer.read()


def finding_site(browser):
    """A site of the demo whose documents have findings."""
    browser.open("/search?level=C")
    return browser.find(".hits .facts-row a").text


def colours_follow_the_system_and_the_button(browser):
    """The theme button changes the colours, and the choice is kept."""
    paper = "return getComputedStyle(document.body).backgroundColor"
    browser.look(*FORMS["dark"])
    browser.open("/")
    dark = browser.run(paper)
    browser.find(".theme").click()
    light = browser.run(paper)
    assert light != dark
    browser.open("/docs")
    assert browser.run(paper) == light, "the choice is kept"
    browser.run("localStorage.clear()")
    browser.look(*FORMS["light"])
    browser.open("/docs")
    assert browser.run(paper) == light


def addresses(browser):
    """Every kind of page of a registry: the fixed ones, and the agents and sites of its first hits."""
    pages = dict(PAGES)
    browser.open("/search?sort=name")
    hits = [it.get_attribute("href") for it in browser.all(".hits h3 a")][:6]
    sites = [it.get_attribute("href") for it in browser.all(".hits .facts-row > a")][:3]
    for number, address in enumerate(hits):
        pages[f"agent-{number}"] = address.removeprefix(browser.url)
        pages[f"raw-{number}"] = address.removeprefix(browser.url) + "/raw"
    for number, address in enumerate(hits[:2]):
        pages[f"history-{number}"] = address.removeprefix(browser.url) + "/history"
        pages[f"diff-{number}"] = address.removeprefix(browser.url) + "/diff"
    for number, address in enumerate(sites):
        pages[f"site-{number}"] = address.removeprefix(browser.url)
        pages[f"owners-{number}"] = "/owners?domain=" + address.rsplit("/", 1)[1]
    if browser.states is None:
        browser.states = {
            "submission": posted(browser.url, "/submit", domain="submitted.example"),
            "leaving": posted(browser.url, "/leave", domain="left.example", subdomains="yes"),
            "reported": posted(browser.url, "/report", target=sites[0].rsplit("/", 1)[1], kind="wrong", text="It has moved."),
        }
    return pages | browser.states


def posted(url, path, **fields):
    """Posts a form; the path of the page to which it leads."""
    request = urllib.request.Request(url + path, urllib.parse.urlencode(fields).encode())
    with urllib.request.urlopen(request) as answer:
        return answer.url.removeprefix(url)


def pages_fit_any_window(browser):
    """No page is wider than the narrowest window."""
    browser.look(*NARROWEST)
    for name, path in addresses(browser).items():
        browser.open(path)
        width = browser.run("return document.documentElement.scrollWidth")
        assert width <= NARROWEST[0], f"{name} is {width} px wide"


def pages_are_accessible(browser, axe):
    """No page has a violation that axe-core finds, in any form."""
    browser.look(*FORMS["light"])
    pages = addresses(browser)
    faults = []
    for form, size in FORMS.items():
        browser.look(*size)
        for name, path in pages.items():
            browser.open(path)
            browser.run(axe)
            found = browser.driver.execute_async_script(
                "axe.run({rules: {'target-size': {enabled: true}}}).then((it) => arguments[0](it.violations))"
            )
            for violation in found:
                nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                faults.append(f"{name} ({form}): {violation['id']}: {nodes}")
    assert not faults, "\n".join(faults)


def pages_are_valid_html(browser, validator):
    """No page has an error that html-validate finds."""
    browser.look(*FORMS["light"])
    with tempfile.TemporaryDirectory() as folder:
        browser.scripts(False)
        try:
            for name, path in addresses(browser).items():
                html = text_of(browser.url + path)
                with open(os.path.join(folder, f"{name}.html"), "w", encoding="utf8") as file:
                    file.write(html)
        finally:
            browser.scripts(True)
        with open(os.path.join(folder, ".htmlvalidate.json"), "w", encoding="utf8") as file:
            json.dump(RULES, file)
        ran = subprocess.run(
            ["node", validator, "--formatter", "text", f"{folder}/*.html"],
            capture_output=True,
            text=True,
            cwd=folder,
        )
        assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]


# Rules of taste that we decide otherwise; everything else is as recommended.
RULES = {
    "root": True,
    "extends": ["html-validate:recommended"],
    "rules": {
        # One file is written by templates: no line of it ends by hand.
        "no-trailing-whitespace": "off",
        "long-title": "off",
        "void-style": "off",
        # Redundant to validators, yet announced by more screen readers.
        "no-redundant-role": "off",
        "prefer-native-element": "off",
        # An address of an `id` that a site's name makes is not ours to choose.
        "valid-id": "off",
        "no-inline-style": "error",
        "aria-label-misuse": ["error", {"allowAnyNamable": True}],
    },
}


def hostile_sites(folder):
    """Writes sites whose manifests try to break pages; returns the number of agents that they list."""
    script = "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
    scripts = "Ελλάδα Россия العربية עברית हिन्दी বাংলা தமிழ் తెలుగు ไทย ລາວ ქართული Հայերեն 한국어 日本語 中文 አማርኛ ខ្មែរ සිංහල မြန်မာ ᏣᎳᎩ"
    card = {
        "name": "Agent",
        "description": "Does things.",
        "url": "https://{host}/a2a",
        "version": "1.0.0",
        "protocolVersion": "0.3.0",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "do", "name": "Do", "description": "Does it.", "tags": ["do"]}],
    }
    many = [
        {"id": f"skill_{number}", "name": f"Skill {number}", "description": "One of many.", "tags": ["x"]}
        for number in range(10_000)
    ]
    cards = {
        "script.test": card | {"name": script, "description": script * 20, "provider": {"organization": script, "url": "javascript:document.title='broken'"}},
        "bidi.test": card | {"name": "\u202egnihtyreve\u202c \u2066x\u2069", "description": "\u202e" * 50 + "reversed"},
        "long.test": card | {"name": "W" * 4_000, "description": "long " * 40_000},
        "many.test": card | {"skills": many},
        "scripts.test": card | {"name": scripts, "description": scripts * 5},
        "empty.test": card | {"name": "Empty", "description": "", "skills": [], "tags": []},
    }
    for host, document in cards.items():
        place = os.path.join(folder, host, ".well-known")
        os.makedirs(place)
        text = json.dumps(document).replace("{host}", host)
        with open(os.path.join(place, "agent-card.json"), "w", encoding="utf8") as file:
            file.write(text)
    return len(cards)


def hostile_manifests_give_harmless_pages(browser):
    """Pages of hostile sites fit, run nothing and say nothing to the console."""
    browser.open("/search")
    browser.find(".hits h3 a")
    pages = {it.get_attribute("href").removeprefix(browser.url) for it in browser.all(".hits h3 a")}
    pages |= {it.get_attribute("href").removeprefix(browser.url) for it in browser.all(".facts-row > a")}
    assert len(pages) >= 10, pages
    pages |= {f"{it}/{view}" for it in pages if it.startswith("/agent/") for view in ("raw", "history")}
    for size in (NARROWEST, FORMS["light"]):
        browser.look(*size)
        for path in sorted(pages) + ["/", "/search", "/browse/capabilities"]:
            browser.open(path)
            title = browser.driver.title
            assert "broken" not in title or "script" in title, f"{path}: a script of a site ran"
            width = browser.run("return document.documentElement.scrollWidth")
            assert width <= size[0], f"{path} is {width} px wide"
            assert browser.find("h1").is_displayed(), path


def screenshots(browser, folder):
    """Writes pictures of every page in every form."""
    os.makedirs(folder, exist_ok=True)
    browser.look(*FORMS["light"])
    pages = addresses(browser)
    for form, size in FORMS.items():
        browser.look(*size)
        for name, path in pages.items():
            browser.open(path)
            browser.driver.save_screenshot(os.path.join(folder, f"{name}-{form}.png"))


def main():
    binaries, modules, *options = sys.argv[1:]
    agentdex = os.path.abspath(os.path.join(binaries, "agentdex"))
    if options[:1] == ["--screenshots"]:
        sites = options[3] if options[2:3] == ["--sites"] else None
        with tempfile.TemporaryDirectory() as folder:
            served = of_sites(binaries, sites, 90) if sites else registry(agentdex, folder, *UNLIMITED)
            with served as url:
                screenshots(Browser(url), options[1])
        return 0
    with open(os.path.join(modules, "axe-core", "axe.min.js"), encoding="utf8") as file:
        axe = file.read()
    validator = os.path.abspath(os.path.join(modules, "html-validate", "bin", "html-validate.mjs"))
    failed = []
    with tempfile.TemporaryDirectory() as folder, registry(agentdex, folder, *UNLIMITED) as url:
        browser = Browser(url)
        for test in (
            a_first_visit_ends_with_a_call_copied,
            a_stranger_checks_a_fact_and_finds_an_agent,
            a_developer_connects_and_copies_a_call,
            filters_are_one_skip_away,
            results_are_reached_by_keyboard_alone,
            everything_works_without_scripts,
            a_broken_manifest_is_mended_converted_and_submitted,
            a_file_is_shown_and_checked,
            an_owner_gets_from_the_site_to_the_rule_and_its_fix,
            a_fact_leads_to_its_line_and_the_history_to_its_versions,
            owners_need_no_script,
            a_state_is_followed_by_the_script,
            no_page_is_older_than_the_registry,
            feeds_are_read_as_pages_name_them,
            colours_follow_the_system_and_the_button,
            pages_fit_any_window,
            lambda it: pages_are_accessible(it, axe),
            lambda it: pages_are_valid_html(it, validator),
        ):
            check(test, browser, failed)
        browser.driver.quit()
    with tempfile.TemporaryDirectory() as sites:
        agents = hostile_sites(sites)
        with of_sites(binaries, sites, agents) as url:
            browser = Browser(url)
            check(hostile_manifests_give_harmless_pages, browser, failed)
            browser.driver.quit()
    print(f"{len(failed)} failed" if failed else "all passed")
    return 1 if failed else 0


def check(test, browser, failed):
    """Runs a test from a clean window, and sees that the browser has nothing to complain of."""
    name = (test.__doc__ or "pages").strip() if test.__name__ == "<lambda>" else test.__name__
    browser.look(*FORMS["light"])
    browser.complaints()
    try:
        test(browser)
        complaints = browser.complaints()
        assert not complaints, complaints
        print(f"ok      {name}")
    except Exception:
        failed.append(name)
        print(f"FAILED  {name}\n{traceback.format_exc()}")


if __name__ == "__main__":
    sys.exit(main())
