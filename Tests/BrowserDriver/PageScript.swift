/// What stands in front of every script: how things are found and what they are called.
///
/// The name follows the usual steps of the standard for accessible names; the audit does not rely
/// on it but asks the browser's own tree.
enum PageScript {
  static let text = #"""
    const page = {
      roles: {
        button: 'button, [role=button], input[type=submit], input[type=button], summary',
        link: 'a[href], [role=link]',
        heading: 'h1, h2, h3, h4, h5, h6, [role=heading]',
        textbox: 'input:not([type]), input[type=text], input[type=search], input[type=email], '
          + 'input[type=password], input[type=url], textarea, [role=textbox]',
        checkbox: 'input[type=checkbox], [role=checkbox], [role=switch]',
        radio: 'input[type=radio], [role=radio]',
        combobox: 'select, [role=combobox]',
        dialog: 'dialog[open]:not([role]), [role=dialog]',
        alertdialog: '[role=alertdialog]',
        alert: '[role=alert]',
        status: '[role=status], output',
        region: 'section[aria-label], section[aria-labelledby], [role=region]',
        main: 'main, [role=main]',
        navigation: 'nav, [role=navigation]',
        banner: 'body > header, [role=banner]',
        contentinfo: 'body > footer, [role=contentinfo]',
        form: 'form[aria-label], form[aria-labelledby], [role=form]',
        search: 'search, [role=search]',
        table: 'table, [role=table]',
        row: 'tr, [role=row]',
        img: 'img[alt], svg[role=img], [role=img]',
        tab: '[role=tab]',
        tabpanel: '[role=tabpanel]',
        list: 'ul, ol, [role=list]',
        listitem: 'li, [role=listitem]',
        group: 'fieldset, details, [role=group]',
        article: 'article, [role=article]',
        complementary: 'aside, [role=complementary]',
        progressbar: 'progress, [role=progressbar]',
      },
      squeeze: text => (text || '').replace(/\s+/g, ' ').trim(),
      visible: e => e.checkVisibility({ visibilityProperty: true })
        && !e.closest('[aria-hidden=true], [inert]'),
      content: e => {
        let text = '';
        for (const node of e.childNodes) {
          if (node.nodeType === Node.TEXT_NODE) text += node.data;
          if (node.nodeType !== Node.ELEMENT_NODE) continue;
          if (node.getAttribute('aria-hidden') === 'true' || !node.checkVisibility()) continue;
          const display = getComputedStyle(node).display;
          const gap = display.startsWith('inline') ? '' : ' ';
          const own = node.getAttribute('aria-label') || node.getAttribute('alt')
            || (node.tagName === 'svg' ? '' : page.content(node));
          text += gap + own + gap;
        }
        return text;
      },
      name: e => {
        const by = e.getAttribute('aria-labelledby');
        if (by) {
          const parts = by.split(/\s+/).map(id => document.getElementById(id)).filter(Boolean);
          if (parts.length) return page.squeeze(parts.map(p => p.textContent).join(' '));
        }
        const label = page.squeeze(e.getAttribute('aria-label'));
        if (label) return label;
        if (e.labels && e.labels.length) {
          return page.squeeze(Array.from(e.labels).map(page.content).join(' '));
        }
        if (e.tagName === 'INPUT' && /^(submit|button)$/.test(e.type)) return page.squeeze(e.value);
        if (e.tagName === 'FIELDSET' || e.tagName === 'TABLE') {
          const title = e.querySelector(':scope > legend, :scope > caption');
          if (title) return page.squeeze(title.textContent);
        }
        if (e.tagName === 'svg') return page.squeeze(e.querySelector('title')?.textContent);
        const alt = page.squeeze(e.getAttribute('alt'));
        if (alt) return alt;
        return page.squeeze(page.content(e)) || page.squeeze(e.getAttribute('title'))
          || page.squeeze(e.getAttribute('placeholder'));
      },
      find: (role, name, selector) => {
        const found = [];
        for (const root of document.querySelectorAll(selector || 'html')) {
          for (const e of root.querySelectorAll(page.roles[role])) {
            if (found.includes(e) || !page.visible(e)) continue;
            if (name !== null && name !== undefined && page.name(e) !== name) continue;
            found.push(e);
          }
        }
        return found;
      },
      // Elements do not leave the page: the driver is told by which mark to look for one.
      mark: e => {
        if (!e) return null;
        window.__marks = (window.__marks || 0) + 1;
        e.setAttribute('data-driver-mark', window.__marks);
        return String(window.__marks);
      },
    };
    """#

  /// The attribute that ``text`` marks elements with.
  static let mark = "data-driver-mark"
}
