// Additions to complete pages: theme, keys, copy buttons, completions, a fresh front page, the validator.
"use strict";
(() => {
  const root = document.documentElement;
  const kept = {
    get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("theme", theme); } catch { /* Storage is off. */ } },
  };
  const theme = kept.get();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  const isDark = () => {
    const chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };

  function themes() {
    const button = document.querySelector(".theme");
    if (!button) return;
    const label = () => button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept.set(root.dataset.theme);
      label();
    });
  }

  function keys() {
    const field = document.querySelector("input[type=search]");
    const links = [...document.querySelectorAll(".hit h3 a")];
    const move = (step) => {
      const at = links.indexOf(document.activeElement);
      const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
      next?.closest("details:not([open])")?.setAttribute("open", "");
      next?.focus();
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.closest("input, textarea, select")) return;
      if (event.key === "/" && field) {
        event.preventDefault();
        field.focus();
        field.select();
      } else if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
    });
  }

  // `crypto.randomUUID` exists only on pages served over HTTPS.
  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  // What a copy button copies: the tab, caption or heading of its text.
  function named(figure) {
    const tab = figure.closest(".panel")?.previousElementSibling;
    const around = figure.closest("details, section, aside, article, main");
    const label = tab ?? figure.querySelector("figcaption") ?? around?.querySelector("summary, h2, h3, h1");
    return label?.textContent.trim().replace(/\s+/g, " ") ?? "";
  }

  function copies() {
    if (!navigator.clipboard) return;
    const said = document.createElement("p");
    said.className = "unseen";
    said.setAttribute("role", "status");
    document.body.append(said);
    for (const figure of document.querySelectorAll(".code")) {
      const label = figure.closest(".hit-call") ? "Copy call" : "Copy";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = label;
      const name = named(figure);
      if (name) button.setAttribute("aria-label", `Copy: ${name}`);
      button.addEventListener("click", async () => {
        try {
          // A message that is sent twice under one id is taken for a repetition.
          const id = figure.closest("[data-id]")?.dataset.id;
          const text = figure.querySelector("code").textContent;
          await navigator.clipboard.writeText(id ? text.replaceAll(id, newId()) : text);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Not copied";
        }
        said.textContent = `${button.textContent}: ${name}`;
        setTimeout(() => {
          button.textContent = label;
          said.textContent = "";
        }, 2000);
      });
      figure.append(button);
    }
  }

  // The call of a hit is copied without opening it.
  function calls() {
    for (const button of document.querySelectorAll(".hit-call .copy")) {
      const call = button.closest(".hit-call");
      button.setAttribute("aria-label", `Copy the call of ${call.dataset.call}`);
      call.querySelector("details").hidden = true;
      call.prepend(button);
    }
  }

  function completions() {
    const field = document.querySelector("input[type=search]");
    if (!field) return;
    let list = field.list;
    if (!list) {
      list = document.createElement("datalist");
      list.id = "completions";
      field.after(list);
      field.setAttribute("list", list.id);
    }
    let timer;
    let asked = field.value;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const words = field.value.trim();
        if (words.length < 2 || words === asked) return;
        asked = words;
        const answer = await fetch("/api/v1/suggest?q=" + encodeURIComponent(words)).catch(() => null);
        if (!answer?.ok || field.value.trim() !== words) return;
        const { suggestions } = await answer.json();
        list.replaceChildren(...suggestions.map(({ text }) => {
          const option = document.createElement("option");
          option.value = text;
          return option;
        }));
      }, 200);
    });
  }

  function live() {
    if (!document.getElementById("live")) return;
    setInterval(async () => {
      if (document.hidden) return;
      const answer = await fetch("/", { headers: { accept: "text/html" } }).catch(() => null);
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["pulse", "live"]) {
        const fresh = page.getElementById(id);
        const old = document.getElementById(id);
        if (fresh && old && !old.contains(document.activeElement)) old.replaceWith(fresh);
      }
    }, 60_000);
  }

  // A state that is under way, until it is not.
  function follow() {
    if (!document.querySelector("[data-refresh]")) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const [fresh, old] = [page, document].map((it) => it.querySelector("[aria-live]"));
      if (!fresh || !old) return;
      const focused = old.contains(document.activeElement);
      if (!focused && fresh.textContent !== old.textContent) old.replaceChildren(...fresh.childNodes);
      if (!fresh.hasAttribute("data-refresh")) clearInterval(timer);
    }, 3_000);
  }

  // The validator: a file shows as text, and a finding's line beside it, without moving the page.
  function validator() {
    const [field, file] = ["text", "file"].map((id) => document.getElementById(id));
    if (!field || !file) return;
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen || chosen.size > 1 << 20) return;
      try {
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        field.value = decoder.decode(await chosen.arrayBuffer());
      } catch { /* Not UTF-8: the file is sent as it is. */ }
    });
    // Once it is edited, the text counts and not the file.
    field.addEventListener("input", () => { file.value = ""; });
    for (const link of document.querySelectorAll(".found a[href^='#L']")) {
      link.addEventListener("click", () => {
        if (!matchMedia("(min-width: 60rem) and (min-height: 40rem)").matches) return;
        const top = scrollY;
        requestAnimationFrame(() => scrollTo({ top, behavior: "instant" }));
      });
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const start of [themes, keys, copies, calls, completions, live, follow, validator]) start();
  });
})();
