"""The source code and configurations that the page of an agent offers, as its copy buttons give them."""

import html.parser
import urllib.parse
import urllib.request
import uuid

LANGUAGES = ("curl", "Python", "TypeScript")
CONFIGURATION = "Configuration of "


def snippets_of(url, agent):
    """Gives the texts of an agent's page by their headings, and the links that install its server."""
    with urllib.request.urlopen(f"{url}/agent/{urllib.parse.quote(agent)}") as answer:
        page = Page()
        page.feed(answer.read().decode())
    return page.snippets, page.installs


class Page(html.parser.HTMLParser):
    """A page of an agent, which is read once."""

    def __init__(self):
        super().__init__()
        self.snippets = {}
        self.installs = {}
        self.heading = None
        self.id = None
        self.read = ""

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "fieldset":
            self.id = attributes.get("data-id")
        elif tag in ("label", "code"):
            self.read = ""
        elif tag == "a" and (self.heading or "").startswith(CONFIGURATION):
            self.installs.setdefault(self.heading, attributes["href"])

    def handle_data(self, data):
        self.read += data

    def handle_endtag(self, tag):
        if self.id is None:
            return
        if tag == "label":
            # The other tabs are those of clients.
            is_source = self.read in (*LANGUAGES, "HTTP")
            self.heading = self.read if is_source else CONFIGURATION + self.read
        elif tag == "code" and self.heading != "HTTP":
            # The button gives each copy an id of its own.
            self.snippets[self.heading] = self.read.replace(self.id, str(uuid.uuid4()))
        elif tag == "fieldset":
            self.heading = self.id = None
