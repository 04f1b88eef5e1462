/// The one script: it improves pages that are whole without it.
///
/// Choices send themselves, long tables get a box that filters them, and pages that change by
/// themselves are read again, unless somebody is writing in them.
enum PageScript {
  static let text = """
    "use strict";
    (() => {
      const root = document.documentElement;
      root.classList.add("script");

      if (!document.cookie.includes("iap_zone=")) {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        if (zone && /^[A-Za-z0-9+_\\/-]{1,64}$/.test(zone)) {
          const secure = location.protocol === "https:" ? "; Secure" : "";
          document.cookie =
            `iap_zone=${zone}; Path=/dashboard; Max-Age=31536000; SameSite=Lax${secure}`;
        }
      }

      const prepare = () => {
        for (const form of document.querySelectorAll("form[data-auto]")) {
          if (form.dataset.ready) continue;
          form.dataset.ready = "1";
          form.addEventListener("change", () => form.submit());
        }
        for (const table of document.querySelectorAll("table[data-filter]")) {
          if (table.dataset.ready) continue;
          table.dataset.ready = "1";
          const label = document.createElement("label");
          label.className = "filter-box field";
          const name = document.createElement("span");
          name.textContent = table.dataset.filter;
          const box = document.createElement("input");
          box.type = "search";
          label.append(name, box);
          table.before(label);
          box.addEventListener("input", () => {
            const wanted = box.value.trim().toLowerCase();
            for (const row of table.tBodies[0].rows) {
              row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
            }
          });
        }
      };

      const isBusy = () => {
        const active = document.activeElement;
        if (active && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName)) return true;
        for (const box of document.querySelectorAll("main input, main textarea")) {
          if (box.type !== "hidden" && box.value !== box.defaultValue) return true;
        }
        return document.querySelector("main details[open]") !== null;
      };

      const refresh = async () => {
        const main = document.getElementById("main");
        const seconds = Number(main && main.dataset.refresh);
        if (!seconds) return;
        setTimeout(refresh, seconds * 1000);
        if (document.hidden || isBusy()) return;
        try {
          const answer = await fetch(location.href, { credentials: "same-origin" });
          if (!answer.ok || answer.redirected) return;
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          const fresh = page.getElementById("main");
          if (fresh && !isBusy()) {
            const place = document.activeElement && document.activeElement.id;
            main.replaceChildren(...fresh.childNodes);
            if (place) document.getElementById(place)?.focus({ preventScroll: true });
            prepare();
          }
        } catch {
          // The server may be starting again: the next turn asks once more.
        }
      };

      prepare();
      const main = document.getElementById("main");
      const seconds = Number(main && main.dataset.refresh);
      if (seconds) setTimeout(refresh, seconds * 1000);
    })();

    """
}
