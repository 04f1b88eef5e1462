/// What makes the page live; without it the page works by its forms.
enum DemoScript {
  static let text = #"""
    'use strict';
    (() => {
      const form = document.getElementById('act');
      const areas = ['phone', 'world', 'life'];
      let version = Number(document.body.dataset.version);
      let waiting = new AbortController();
      let closing = 0;
      let returnTo = null;
      const still = matchMedia('(prefers-reduced-motion: reduce)');

      // What changes is changed; what stays keeps its focus, its scroll and its motion.
      const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName
        && (a.nodeType !== 1 || a.getAttribute('data-key') === b.getAttribute('data-key'));
      const leave = node => {
        if (node.nodeType === 1 && node.hasAttribute('data-leaving') && !still.matches) {
          if (node.classList.contains('leaving')) return;
          node.classList.add('leaving');
          node.setAttribute('inert', '');
          const gone = () => node.remove();
          node.addEventListener('animationend', gone, { once: true });
          setTimeout(gone, 600);
        } else {
          node.remove();
        }
      };
      const morph = (from, to) => {
        if (from.nodeType === 3) {
          if (from.data !== to.data) from.data = to.data;
          return;
        }
        if (from.nodeType !== 1) return;
        for (const { name } of Array.from(from.attributes)) {
          if (!to.hasAttribute(name)) from.removeAttribute(name);
        }
        for (const { name, value } of Array.from(to.attributes)) {
          if (from.getAttribute(name) !== value) from.setAttribute(name, value);
        }
        children(from, to);
      };
      const children = (from, to) => {
        const old = Array.from(from.childNodes).filter(
          n => !(n.nodeType === 1 && n.classList.contains('leaving')));
        const keyed = new Map();
        for (const node of old) {
          const key = node.nodeType === 1 && node.getAttribute('data-key');
          if (key) keyed.set(key, node);
        }
        const used = new Set();
        let place = from.firstChild;
        const skip = () => {
          while (place && (used.has(place)
            || (place.nodeType === 1 && place.classList.contains('leaving')))) {
            place = place.nextSibling;
          }
        };
        for (const wanted of Array.from(to.childNodes)) {
          skip();
          const key = wanted.nodeType === 1 && wanted.getAttribute('data-key');
          let found = key ? keyed.get(key) : null;
          if (!key && place && isSame(place, wanted)) found = place;
          if (found && isSame(found, wanted) && !used.has(found)) {
            used.add(found);
            if (found === place) place = place.nextSibling;
            else from.insertBefore(found, place);
            morph(found, wanted);
          } else {
            const node = wanted.cloneNode(true);
            used.add(node);
            from.insertBefore(node, place);
          }
        }
        for (const node of old) if (!used.has(node)) leave(node);
      };

      const sheet = () => document.querySelector('.sheet-shade:not(.leaving) [data-sheet]');
      const show = state => {
        version = state.version;
        const had = sheet();
        const focused = document.activeElement;
        const key = focused && focused.getAttribute('data-key');
        for (const name of areas) {
          const fresh = document.createElement('section');
          fresh.innerHTML = state[name];
          children(document.getElementById(name), fresh);
        }
        const has = sheet();
        if (has && !had) {
          returnTo = key;
          has.querySelector('.pay').focus({ preventScroll: true });
        } else if (had && !has && returnTo) {
          const back = document.querySelector('[data-key="' + CSS.escape(returnTo) + '"]');
          if (back && !back.disabled) back.focus({ preventScroll: true });
          returnTo = null;
        } else if (key && !document.contains(focused)) {
          const again = document.querySelector('[data-key="' + CSS.escape(key) + '"]');
          if (again) again.focus({ preventScroll: true });
        }
        const url = new URL(location.href);
        form.elements.on.value = url.searchParams.get('on') || 'phone';
        form.elements.tab.value = url.searchParams.get('tab') || 'shop';
      };

      const ask = async since => {
        const url = new URL('/state', location.href);
        const here = new URL(location.href).searchParams;
        for (const name of ['on', 'tab', 'lang']) {
          if (here.has(name)) url.searchParams.set(name, here.get(name));
        }
        url.searchParams.set('since', since);
        const answer = await fetch(url, { signal: waiting.signal });
        if (!answer.ok) throw new Error('status ' + answer.status);
        return answer.json();
      };
      const listen = async () => {
        let failures = 0;
        while (failures < 10 && !closing) {
          try {
            show(await ask(version));
            failures = 0;
            document.getElementById('ended').hidden = true;
          } catch (error) {
            if (error.name === 'AbortError') continue;
            failures += 1;
            if (failures > 2) document.getElementById('ended').hidden = false;
            await new Promise(go => setTimeout(go, 300 * failures));
          }
        }
      };
      const lookNow = () => {
        version = 0;
        waiting.abort();
        waiting = new AbortController();
      };

      form.addEventListener('submit', async event => {
        event.preventDefault();
        const button = event.submitter;
        if (!button || button.getAttribute('aria-busy') === 'true') return;
        const data = new URLSearchParams();
        for (const name of ['token', 'on', 'tab']) data.set(name, form.elements[name].value);
        data.set('do', button.value);
        button.setAttribute('aria-busy', 'true');
        try {
          await fetch('/act', { method: 'POST', body: data, headers: { 'X-Demo': '1' } });
          if (button.value === 'secondPhone') go('?on=second&tab=' + form.elements.tab.value);
          if (button.value === 'startOver') go('?on=phone&tab=shop');
        } catch (error) {
          document.getElementById('ended').hidden = false;
        }
        button.removeAttribute('aria-busy');
        lookNow();
      });
      const go = address => {
        history.pushState(null, '', address);
        const at = new URL(location.href).searchParams;
        form.elements.on.value = at.get('on') || 'phone';
        form.elements.tab.value = at.get('tab') || 'shop';
      };
      document.addEventListener('click', event => {
        const link = event.target.closest('a[data-view]');
        if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(link.href);
        lookNow();
      });
      addEventListener('popstate', lookNow);
      document.addEventListener('keydown', event => {
        if (event.key !== 'Escape' || !sheet()) return;
        document.querySelector('.sheet [value=cancel]').click();
      });
      // A page that is left must not hold its question open.
      addEventListener('pagehide', () => { closing = 1; waiting.abort(); });
      addEventListener('pageshow', event => {
        if (!event.persisted) return;
        closing = 0;
        lookNow();
        listen();
      });
      document.documentElement.classList.add('live');
      listen();
    })();
    """#
}
