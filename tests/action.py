"""Compares listings as the action does, and commits manifests with the hook, by pre-commit itself.

    tests/action.py PROGRAMS PRE_COMMIT
"""

import os
import shutil
import subprocess
import sys
import tempfile

ACTION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../action")
HOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.pre-commit-hooks.yaml")
BROKEN = '{"name": "Shop", "protocolVersion": "0.3.0", "skills": [{"id": 1}]}'
SOUND = """{"protocolVersion": "0.3.0", "name": "Shop", "description": "Sells chairs.",
 "url": "https://shop.example/a2a", "version": "1.0.0", "capabilities": {},
 "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
 "skills": [{"id": "order", "name": "Order", "description": "Orders a chair.", "tags": ["chair"]}]}"""


def main():
    compare()
    commit()


def compare():
    """Compares listings with the script of the action."""
    sys.path.insert(0, ACTION)
    import recheck

    def listing(**calls):
        capabilities = [{"id": it, "method": "GET", "url": url} for it, url in calls.items()]
        facts = {"capabilities": capabilities, "auth": [{"scheme": "api_key", "in": "header", "name": "X-Key"}]}
        return {"shop.example/shop": recheck.facts_of(facts)}

    before = listing(find="https://shop.example/find", order="https://shop.example/order")
    # A new name at the same address is no loss; another address is.
    after = listing(search="https://shop.example/find", order="https://shop.example/v2/order")
    lost, added = recheck.difference(before, after)
    assert lost == [("endpoint", "shop.example/shop", "GET https://shop.example/order")], lost
    assert added == [("endpoint", "shop.example/shop", "GET https://shop.example/v2/order")], added
    gone = recheck.difference(before, listing(find="https://shop.example/find"))[0]
    assert [it[0] for it in gone] == ["endpoint", "capability"], gone
    assert recheck.difference(before, {})[0] == [("agent", "shop.example/shop", "shop.example/shop")]
    print("recheck: listings compared")


def commit():
    """Commits a broken card, a sound one, and a file of another kind."""
    programs, pre_commit = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": os.path.join(folder, "cache"),
            "HOME": folder,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

        def run(*command, place):
            ran = subprocess.run(
                command, cwd=place, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            return ran.returncode, ran.stdout

        def git(*arguments, place):
            settings = ["-c", "user.name=Owner", "-c", "user.email=owner@shop.example"]
            code, output = run("git", *settings, *arguments, place=place)
            assert code == 0, output
            return output.strip()

        hooks, site = os.path.join(folder, "hooks"), os.path.join(folder, "site")
        for place in [hooks, site]:
            os.mkdir(place)
            git("init", "--quiet", place=place)
        shutil.copy(HOOKS, hooks)
        git("add", "--all", place=hooks)
        git("commit", "--quiet", "--message", "Add the hook", place=hooks)
        revision = git("rev-parse", "HEAD", place=hooks)
        write(site, ".pre-commit-config.yaml", f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: agentdex-lint\n")

        def commits(path, text):
            """Gives the exit code and the output of the hook for a changed file."""
            write(site, path, text)
            git("add", "--all", place=site)
            return run(pre_commit, "run", "agentdex-lint", place=site)

        card = "public/.well-known/agent-card.json"
        code, output = commits(card, BROKEN)
        assert code == 1 and "error[" in output and card in output, output
        code, output = commits(card, SOUND)
        assert code == 0 and "Passed" in output, output
        git("commit", "--quiet", "--message", "Add the card", place=site)
        # Other files are none of its business.
        code, output = commits("package.json", BROKEN)
        assert code == 0 and "Skipped" in output, output
    print("pre-commit: a broken card is refused, a sound one is committed")


def write(folder, path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
