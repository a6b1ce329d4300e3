// What the pages do beyond links and forms. Nothing here decides: every control
// that changes something is a form that also works without this file. It is one file
// although it is long: the parts share what they know of the page, and it is fetched once.
"use strict";

(() => {
  const root = document.documentElement;
  root.classList.add("js");

  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Messages -----------------------------------------------------------------

  let quiet;
  function say(text, seconds = 8) {
    const status = $("#status");
    if (!status) return;
    status.textContent = text;
    clearTimeout(quiet);
    quiet = setTimeout(() => { status.textContent = ""; }, seconds * 1000);
  }

  const own = (ctx) => ctx?.sourceElement?.matches?.("form");

  document.addEventListener("htmx:response:error", (event) => {
    const ctx = event.detail.ctx;
    const code = ctx?.response?.status;
    if (!(code >= 500)) return;
    const words = $(".failure .lead", new DOMParser().parseFromString(ctx.text, "text/html"))?.textContent;
    if (own(ctx)) unanswered(ctx, `The server did not confirm your decision (${code})`, words ?? "We do not know whether it was saved.");
    else say(`The server failed (${code}). This page may be out of date.`, 30);
  });
  document.addEventListener("htmx:error", (event) => {
    const ctx = event.detail.ctx;
    if (!ctx || ctx.sourceElement?.id.startsWith("live")) return;
    if (own(ctx)) unanswered(ctx, "No answer from the server", "We do not know whether your decision arrived.");
    else say("No connection. This page may be out of date.", 30);
  });

  // Once the session is over the page leads to the sign-in page, and takes the
  // words along that were typed: a form that comes without a session counts as
  // nothing, and is shown again to who sent it. Most pages refresh a region of
  // theirs and notice by its answer, the others by the stream.
  document.addEventListener("htmx:after:request", (event) => {
    const ctx = event.detail.ctx;
    if (ctx?.response?.status === 401 && takeAlong(own(ctx) ? ctx.sourceElement : begun())) event.preventDefault();
  });
  document.addEventListener("htmx:sse:error", (event) => {
    if (event.detail.status === 401 && !takeAlong(begun())) location.reload();
  });

  // What it sends cannot count: its token died with the session.
  function takeAlong(form) {
    form?.submit();
    return Boolean(form);
  }

  // begun is the form that somebody has typed into, or typed what it holds.
  function begun() {
    const touched = (field) => field.value !== (field.defaultValue ?? field.value) || field.checked !== field.defaultChecked;
    return $$("form[method=post]").find((form) => !$("[type=password]", form)
      && (form.matches(".edit-review *") || $("[aria-invalid=true]", form) || [...form.elements].some(touched)));
  }

  // What a form sent and got no answer to is said on the form, until an answer
  // takes the form's place. The page looks at once what became of it.
  function unanswered(ctx, title, words) {
    const place = $("#unanswered", ctx.sourceElement);
    set($("strong", place), title);
    set($("p", place), words);
    set($("code", place), ctx.response?.headers.get("X-Request-Id") ?? "");
    place.hidden = false;
    place.focus();
    $("#confirm").dispatchEvent(new CustomEvent("refresh"));
  }

  // A page that was read since and still has the form knows more.
  function stillOpen() {
    const place = $("#unanswered:not([hidden])");
    if (!place) return;
    set($("strong", place), "Not decided yet: still waiting");
    set($("p", place), "");
  }

  // Time ---------------------------------------------------------------------

  const two = (a, unit, b, small) => b ? `${a} ${unit} ${b} ${small}` : `${a} ${unit}`;
  function span(seconds) {
    const s = Math.floor(Math.max(seconds, 0));
    if (s < 60) return `${s} s`;
    if (s < 3600) return two(Math.floor(s / 60), "min", s % 60, "s");
    if (s < 86400) return two(Math.floor(s / 3600), "h", Math.floor(s % 3600 / 60), "min");
    return two(Math.floor(s / 86400), "d", Math.floor(s % 86400 / 3600), "h");
  }

  function set(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  // Countdowns run on the server's clock: the reader's may be wrong.
  const skew = (Date.parse(document.body.dataset.now) || Date.now()) - Date.now();

  function tick() {
    const now = Date.now() + skew;
    for (const time of $$("[data-deadline]")) {
      const left = (Date.parse(time.dateTime) - now) / 1000;
      const urgency = left <= 0 ? "expired" : left < 10 ? "critical" : left < 60 ? "soon" : "calm";
      set(time, left <= 0 ? "expired" : `${span(left)} left`);
      if (!time.classList.contains(urgency)) time.className = `countdown ${urgency}`;
    }
    for (const time of $$("[data-age]")) {
      const age = (now - Date.parse(time.dateTime)) / 1000;
      // The smaller unit would change all the time and tells nobody anything.
      set(time, age < 5 ? "just now" : `${span(age < 60 ? age : age - age % (age < 3600 ? 60 : 3600))} ago`);
    }
  }

  // A long time names its zone.
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  function localise() {
    for (const time of $$("time[data-local]")) {
      time.title = time.dateTime;
      set(time, format.format(new Date(time.dateTime)));
    }
  }

  function refresh() { tick(); localise(); tally(); watch(); showWaiting(); }

  // Several actions: the panel repeats what was chosen beside each -----------

  function tally() {
    for (const item of $$("[data-tally]")) {
      const chosen = $(`input[name="action_${item.dataset.tally}"]:checked`);
      item.toggleAttribute("data-choice", Boolean(chosen));
      set($(".tally-choice", item), chosen ? chosen.closest("label").textContent.trim() : "not decided");
    }
    const open = $$(".choices").filter((choices) => !$("input:checked", choices)).length;
    for (const button of $$("[data-when-chosen]")) set(button, open ? `${open} to choose` : button.dataset.whenChosen);
  }

  function openEditor(index) {
    const editor = $(`[data-editor="${index}"]`);
    if (!editor) return;
    editor.open = true;
    $("input, select, textarea", editor).focus();
  }

  document.addEventListener("change", (event) => {
    const radio = event.target.closest?.('input[type="radio"][name^="action_"]');
    if (!radio) return;
    tally();
    if (radio.value === "edit") openEditor(radio.name.slice(7));
  });

  // Clicks -------------------------------------------------------------------

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button");
    if (!button) return;
    const { fill, line, copy, copyFrom, openEditor: editor } = button.dataset;
    if (fill) {
      const field = $(fill);
      field.value = button.textContent.trim();
      field.focus();
    }
    if (line) toggleLine(button, $(line));
    if (editor !== undefined) openEditor(editor);
    if (copy) {
      try {
        await navigator.clipboard.writeText($(copy).textContent);
        say("Copied.", 3);
      } catch {
        getSelection().selectAllChildren($(copy));
        say("Selected. Copy it with your keyboard.", 5);
      }
    }
    if (button.dataset.verdictOf) tap(button);
    if ("decideNext" in button.dataset) chooseNext();
    if (copyFrom) {
      try {
        const answer = await fetch(copyFrom);
        if (!answer.ok) throw new Error(answer.status);
        await navigator.clipboard.writeText(await answer.text());
        say("Copied as sent.", 3);
      } catch {
        say("It could not be copied. Download it instead.", 8);
      }
    }
    if (button.id === "inbox-show") show();
    if (button.id === "notify-button") toggleChoice();
  });

  // tap is a button of the bar: the first tap arms it, the second one sends. Approve
  // first shows what was not in view.
  function tap(button) {
    const verdict = $(`[data-verdict="${button.dataset.verdictOf}"]`);
    if (button.classList.contains("armed")) return verdict.form.requestSubmit(verdict);
    const ready = () => {
      const label = button.textContent;
      set(button, `Tap again to ${label.toLowerCase()}`);
      button.addEventListener("blur", () => set(button, label), { once: true });
      arm(button);
    };
    if (button.dataset.verdictOf === "approve") afterSeen(ready); else ready();
  }

  // chooseNext goes to the first action without a decision, or to the button that decides.
  function chooseNext() {
    const open = $$(".choices").find((choices) => !$("input:checked", choices));
    if (!open) return arming($('[data-verdict="decide"]'));
    open.scrollIntoView({ block: "center" });
    $("input", open).focus({ preventScroll: true });
  }

  function toggleLine(button, field) {
    const text = button.textContent.trim();
    const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    const at = lines.indexOf(text);
    if (at < 0) lines.push(text); else lines.splice(at, 1);
    field.value = lines.join("\n");
    button.setAttribute("aria-pressed", String(at < 0));
  }

  // The inbox: while the pointer is over the rows they stay where they are ----

  let announced = 0;
  const ids = (within) => new Set($$(".row", within).map((row) => row.id));

  function hold(event, inbox) {
    const next = new DOMParser().parseFromString(event.detail.ctx.text, "text/html");
    const present = ids(inbox), coming = ids(next);
    const fresh = [...coming].filter((id) => !present.has(id)).length;
    const left = [...present].filter((id) => !coming.has(id));
    if (fresh !== announced && fresh > 0) say(fresh === 1 ? "1 new request" : `${fresh} new requests`, 4);
    announced = fresh;
    if (!$("#inbox-rows:hover", inbox) || !(fresh || left.length)) return;
    event.preventDefault();
    for (const row of $$(".row", inbox)) row.classList.toggle("gone", left.includes(row.id));
    const button = $("#inbox-show");
    button.textContent = fresh ? `Show ${fresh} new` : "Some were decided: refresh";
    button.hidden = false;
  }

  function show() {
    const inbox = $("#inbox");
    $("#inbox-show").hidden = true;
    inbox.dispatchEvent(new CustomEvent("refresh"));
  }

  // Live regions: all events that a page refreshes after become one ----------

  for (const name of $("#live")?.dataset.events.split(" ") ?? []) {
    document.addEventListener(name, () => document.body.dispatchEvent(new CustomEvent("changed")));
  }

  // Open tabs: the title, the badge and a notification say what waits ---------

  const count = () => $("#pending-count")?.dataset;
  const plainTitle = document.title.slice(count()?.mark.length ?? 0);
  const ask = () => document.body.dispatchEvent(new CustomEvent("waiting"));

  function showWaiting() {
    const now = count(), n = Number(now?.waiting ?? 0);
    (n ? navigator.setAppBadge?.(n) : navigator.clearAppBadge?.())?.catch(() => {});
    if (!now) return;
    set($("title"), now.mark + plainTitle);
    if (!n || !document.hidden) shown?.close();
    if (isNotified()) notify(now);
    if ($("#notify")) showChoice($("#notify"), $("#notify-button"));
  }

  // The choice to be notified is the user's and this browser's. It is kept with the last
  // log entry that they know of, and when they were notified.
  const choice = `notify-${count()?.user}`, spacing = 60_000;
  const keep = (seq, at) => localStorage.setItem(choice, JSON.stringify({ seq, at }));
  const isNotified = () => localStorage.getItem(choice) && window.Notification?.permission === "granted";
  let shown, later, leads = false;

  function notify({ newest, words, url }) {
    const { seq, at } = JSON.parse(localStorage.getItem(choice)), wait = at + spacing - Date.now();
    const [last, before] = newest.split(" ").map(Number);
    clearTimeout(later);
    if (!document.hidden) return keep(last, at);
    if (!leads || last <= seq) return;
    if (wait > 0 && wait <= spacing) return void (later = setTimeout(showWaiting, wait));
    navigator.locks.request("in view", { ifAvailable: true }, (isNoneInView) => {
      if (!isNoneInView) return;
      keep(last, Date.now());
      shown = new Notification(words, { tag: "waiting", renotify: true, icon: $("link[rel=icon]").href });
      const go = (to) => begun() ? open(to) : location.assign(to); // typed words stay
      shown.onclick = () => go(before > seq ? "/confirms" : url, focus());
    }).catch(() => {}); // the page is left
  }

  function showChoice(card, button) {
    let state = isNotified() ? "on" : window.Notification?.permission === "denied" ? "blocked" : "off";
    // Some browsers refuse to make one. While it is not permitted, none is shown.
    try { if (Notification.permission === "default") new Notification(""); } catch { state = "unsupported"; }
    card.hidden = false;
    set($("[role=status]", card), card.dataset[state]);
    set(button, button.dataset[state] ?? button.dataset.off);
    button.disabled = !button.dataset[state];
  }

  async function toggleChoice() {
    if (isNotified()) localStorage.removeItem(choice);
    else if (await Notification.requestPermission() === "granted") keep(0, 0);
    showWaiting();
  }

  // A hidden page's stream rests. One hidden page listens for all others, because a
  // browser has few connections. It notifies if no page is in view.
  let shift;
  function takePlace() {
    shift?.abort();
    shift = new AbortController();
    const { signal } = shift, over = new Promise((end) => { signal.onabort = end; });
    if (document.hidden) navigator.locks?.request("hidden", { signal }, () => lead(over)).catch(() => {});
    else navigator.locks?.request("in view", { mode: "shared" }, () => over).catch(() => {});
    showWaiting();
  }

  async function lead(over) {
    const stream = Object.assign($("#live").cloneNode(), { id: "live-hidden" });
    $("#live").after(stream);
    leads = true;
    htmx.process(stream);
    ask(); // nobody may have listened for a while
    await over;
    leads = false;
    stream._htmx.sse?.reader?.cancel();
    stream.remove();
  }

  const tabs = new BroadcastChannel("signals");
  if (!count()) tabs.postMessage(""); // signed out: so are the others
  else {
    tabs.onmessage = ask;
    for (const name of ["confirm", "role", "user", "key"]) document.addEventListener(name, () => { ask(); tabs.postMessage(""); });
    document.addEventListener("visibilitychange", takePlace);
    setInterval(ask, 60_000); // in case a signal was lost
    takePlace();
  }

  // Swaps: typed words and the focus survive ----------------------------------

  let unsent = [], mine = false;
  document.addEventListener("htmx:before:swap", (event) => {
    const ctx = event.detail.ctx;
    const source = ctx?.sourceElement;
    if (source?.id === "pending-count") return;
    mine = Boolean(own(ctx));
    if (source?.id === "inbox") hold(event, source);
    // The answer to the decision on its way says more than a refresh does.
    if (source?.id === "confirm" && $("form.htmx-request", source)) return event.preventDefault();
    unsent = mine ? [] : $$("#reason, #user_edit_content, #cancel-reason").map(({ id, value }) => ({ id, words: value.trim() }));
  });

  document.addEventListener("htmx:after:swap", (event) => {
    refresh();
    const ctx = event.detail.ctx;
    if (ctx?.sourceElement?.id === "pending-count") return;
    if (ctx?.sourceElement?.id === "confirm" && ctx.response?.status < 400) stillOpen();
    const lost = $("#unsent");
    const gone = unsent.filter(({ id, words }) => words && !document.getElementById(id));
    if (lost && gone.length) {
      $("p", lost).textContent = gone.map(({ words }) => words).join("\n");
      lost.hidden = false;
      if (document.activeElement === document.body) $("[data-result]")?.focus();
    }
    if (mine) focusResult();
    mine = false;
  });

  // wrong is the first control to correct.
  const wrong = () => $("[aria-invalid=true]:is(input, textarea, select), fieldset[aria-invalid=true] input:enabled");

  // focusResult goes to the first thing to correct, or to what was decided.
  function focusResult() {
    const target = wrong() ?? $("#main [role=alert]:not([hidden])") ?? $("[data-focus]");
    if (!target) return;
    if (!target.matches("input, textarea, select, [tabindex]")) target.tabIndex = -1;
    target.focus();
  }

  // Keyboard -----------------------------------------------------------------

  const enabled = () => document.body.dataset.shortcuts === "on";

  function move(step) {
    const links = $$(".row-link");
    if (!links.length) {
      if (step > 0) $("[data-next]")?.click();
      return;
    }
    const at = links.indexOf(document.activeElement);
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
  }

  // With several actions a key chooses for the first one that is open; the
  // button that decides is only focused when none is left.
  function choose(value) {
    const open = $$(".choices").find((choices) => !$("input:checked", choices));
    if (!open) return arming($('[data-verdict="decide"]'));
    const radio = $(`input[value="${value}"]`, open);
    if (!radio) return;
    radio.checked = true;
    radio.focus();
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    open.scrollIntoView({ block: "nearest" });
    if (value !== "edit" && !$$(".choices").some((choices) => !$("input:checked", choices))) arm($('[data-verdict="decide"]'));
  }

  // What has been seen ---------------------------------------------------------

  // seen has, for each part of the page that is decided on, the stretches of it that
  // stood in view for a moment, in pixels from its top.
  const seen = new Map();
  const glance = 300;
  let look = 0;

  function watch() {
    clearTimeout(look);
    look = setTimeout(() => { look = 0; note(); }, glance);
  }

  // inView returns the stretch of a part that is in view, and nothing behind the bar.
  function inView(box) {
    const bottom = innerHeight - ($("[data-bar]")?.offsetHeight ?? 0);
    return [Math.max(0, -box.top), Math.min(box.height, bottom - box.top)];
  }

  function note() {
    for (const part of $$("[data-must-see]")) {
      const box = part.getBoundingClientRect();
      const known = seen.get(part.id);
      const spans = known?.height === box.height ? known.spans : [];
      seen.set(part.id, { height: box.height, spans: join([...spans, inView(box)]) });
    }
    const left = unseen().left;
    $("#confirm")?.toggleAttribute("data-all-seen", !left);
    const screens = Math.ceil(left / (innerHeight * 0.85));
    for (const hint of $$(".unseen-hint")) {
      hint.hidden = !left;
      set(hint, left ? `${screens} more ${screens === 1 ? "screen" : "screens"} to see` : "");
    }
  }

  // join merges stretches that touch.
  function join(spans) {
    const joined = [];
    for (const [from, to] of spans.filter(([from, to]) => from < to).sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to); else joined.push([from, to]);
    }
    return joined;
  }

  // unseen returns how many pixels of what is decided on were not in view, and where on
  // the page the first of them is. What is in view now counts as seen.
  function unseen() {
    const edge = 12; // less is the padding of a card
    let left = 0, first;
    for (const part of $$("[data-must-see]")) {
      const box = part.getBoundingClientRect(), known = seen.get(part.id);
      const spans = join([...(known?.height === box.height ? known.spans : []), inView(box)]);
      let from = 0;
      for (const [a, b] of [...spans, [box.height, box.height]]) {
        if (a - from > edge) {
          left += a - from;
          first ??= box.top + scrollY + from;
        }
        from = Math.max(from, b);
      }
    }
    return { left, first };
  }

  // afterSeen goes to what was not in view yet, and calls then if nothing is left. What
  // is in view has to stand there for a moment before.
  let waiting;
  function afterSeen(then) {
    clearTimeout(waiting);
    if (look) {
      waiting = setTimeout(() => afterSeen(then), glance);
      return;
    }
    const { left, first } = unseen();
    if (!left) return then();
    scrollTo({ top: first - 60 });
    watch();
  }

  const arming = (button) => { if (button) afterSeen(() => arm(button)); };

  // arm brings a button under the next Enter; leaving it disarms it.
  function arm(button) {
    if (!button) return;
    button.classList.add("armed");
    button.focus();
    button.addEventListener("blur", () => button.classList.remove("armed"), { once: true });
  }

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => $(".choices") ? choose("approve") : arming($('[data-verdict="approve"]')),
    r: () => $(".choices") ? choose("reject") : arm($('[data-verdict="reject"]')),
    e: () => $(".choices") ? choose("edit") : openEditor(0),
    "/": () => $("[data-search]")?.focus(),
    "?": () => $("#help")?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("dialog[open]")) return;
    const typing = event.target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select");
    if (event.key === "Enter" && event.target.matches?.("[type=radio]")) {
      event.preventDefault();
      swallow = true;
    }
    if (event.key === "Escape" && (typing || event.target.matches?.(".armed"))) event.target.blur();
    if (typing || event.repeat || !enabled()) return;
    const action = keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    swallow = true;
    action();
  });

  // Some keyboards deliver the character apart from the key: it must not land
  // in the field that the key has just brought into focus.
  let swallow = false;
  document.addEventListener("keypress", (event) => {
    if (swallow) event.preventDefault();
    swallow = false;
  });
  document.addEventListener("keyup", () => { swallow = false; });

  // Start --------------------------------------------------------------------

  // Of what is too large the part that matters is shown first: the section that
  // is open; the step of a drawing that is gated, or where the plan begins.
  for (const frame of $$(".drawing-scroll, .strip")) {
    const step = ($(".gated, [aria-current=page]", frame) ?? $(".step", frame))?.getBoundingClientRect(), all = frame.getBoundingClientRect();
    if (step) frame.scrollBy(step.left + step.width / 2 - all.left - all.width / 2, step.top + step.height / 2 - all.top - all.height / 2);
  }
  // Chromium leaves a link that is half in sight as it is.
  document.addEventListener("focusin", (event) => event.target.closest(".strip a")?.scrollIntoView({ block: "nearest", inline: "nearest" }));
  // The answer to a form stands where the form was sent to: reloading it must not
  // send the form again.
  const { address } = document.body.dataset;
  if (address) history.replaceState(null, "", address);
  for (const event of ["scroll", "resize"]) addEventListener(event, watch, { passive: true });
  refresh();
  (wrong() ?? $("[data-focus]"))?.focus();
  setInterval(tick, 500);
})();
