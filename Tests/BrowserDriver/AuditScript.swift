/// The rules that are judged on the page.
enum AuditScript {
  static let text =
    #"""
    const findings = [];
    const say = (rule, place) => findings.push({ rule, place });
    const where = e => {
      const own = page.squeeze(e.textContent).slice(0, 40);
      const id = e.id ? '#' + e.id : '';
      const kind = typeof e.className === 'string' && e.className
        ? '.' + e.className.trim().split(/\s+/).join('.') : '';
      return e.tagName.toLowerCase() + id + kind + (own ? " '" + own + "'" : '');
    };
    const all = selector => Array.from(document.querySelectorAll(selector));
    const shown = e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    """# + structure + contrast + "\nreturn findings;"

  private static let structure = #"""

    if (!document.documentElement.lang) say('language', 'html has no lang');
    if (!document.title.trim()) say('title', 'the page has no title');
    const mains = all('main, [role=main]').filter(shown);
    if (mains.length !== 1) say('main', mains.length + ' main landmarks');
    const modal = all('dialog:modal')[0];
    const headings = all('h1, h2, h3, h4, h5, h6').filter(shown)
      .filter(e => !modal || modal.contains(e));
    if (!modal && headings.filter(e => e.tagName === 'H1').length !== 1) {
      say('headings', headings.filter(e => e.tagName === 'H1').length + ' headings of level 1');
    }
    let level = modal ? 6 : 0;
    for (const e of headings) {
      const own = Number(e.tagName[1]);
      if (own > level + 1) say('headings', where(e) + ' follows level ' + level);
      level = own;
    }
    const seen = new Set();
    for (const e of all('[id]')) {
      if (seen.has(e.id)) say('ids', 'twice ' + e.id);
      seen.add(e.id);
    }
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for']) {
      for (const e of all('[' + name + ']')) {
        for (const id of e.getAttribute(name).split(/\s+/).filter(Boolean)) {
          if (!document.getElementById(id)) say('references', where(e) + ' names ' + id);
        }
      }
    }
    for (const e of all('input, select, textarea').filter(shown)) {
      if (/^(hidden|submit|button|reset)$/.test(e.type)) continue;
      const named = (e.labels && e.labels.length) || e.getAttribute('aria-label')
        || e.getAttribute('aria-labelledby');
      if (!named) say('labels', where(e) + ' ' + e.name);
    }
    for (const e of all('img:not([alt])')) say('alternatives', where(e));
    for (const e of all('[tabindex]')) {
      if (e.tabIndex > 0) say('focus', where(e) + ' has tabindex ' + e.tabIndex);
    }
    for (const e of all('[aria-hidden=true]')) {
      const inside = e.querySelector('a[href], button:not([disabled]), input, select, textarea');
      if (inside && shown(inside)) say('hidden', where(inside) + ' can be reached but not heard');
    }
    for (const e of all('button, input, select, textarea, summary, [role=button]').filter(shown)) {
      if (e.type === 'hidden' || e.disabled) continue;
      const boxes = [e, e.closest('label')].filter(Boolean).map(t => t.getBoundingClientRect());
      if (boxes.every(box => box.width < 24 || box.height < 24)) {
        const [box] = boxes;
        say('target', where(e) + ' ' + Math.round(box.width) + ' x ' + Math.round(box.height));
      }
    }
    for (const e of all('table')) {
      if (shown(e) && !e.querySelector('th')) say('table', where(e) + ' has no header cells');
    }
    const width = document.documentElement.scrollWidth;
    if (width > window.innerWidth + 1) say('reflow', width + ' wide in ' + window.innerWidth);
    """#

  private static let contrast = #"""

    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    const colours = new Map();
    const colour = text => {
      if (!colours.has(text)) {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = '#000';
        pen.fillStyle = text;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        colours.set(text, { r, g, b, a: a / 255 });
      }
      return colours.get(text);
    };
    const over = (top, under) => {
      const mix = name => top[name] * top.a + under[name] * (1 - top.a);
      return { r: mix('r'), g: mix('g'), b: mix('b'), a: 1 };
    };
    const light = c => {
      const part = v => {
        v /= 255;
        return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
      };
      return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
    };
    const ratio = (a, b) => {
      const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
      return (x + 0.05) / (y + 0.05);
    };
    const stops = text => (text.match(/(?:rgba?|color|hsla?|oklch|oklab)\([^()]*\)/g) || []);
    // Every colour that can be behind an element: a gradient counts with each of its stops.
    const behind = e => {
      if (!e) {
        const dark = matchMedia('(prefers-color-scheme: dark)').matches
          && getComputedStyle(document.documentElement).colorScheme.includes('dark');
        return [dark ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 }];
      }
      const style = getComputedStyle(e);
      const own = colour(style.backgroundColor);
      let under = own.a >= 0.999 ? [own]
        : (e.matches('dialog:modal') ? behind(null) : behind(e.parentElement))
          .map(c => over(own, c));
      const found = stops(style.backgroundImage);
      if (style.backgroundImage !== 'none' && found.length) {
        under = found.flatMap(text => under.map(c => over(colour(text), c)));
      }
      return under;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const told = new Set();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const e = node.parentElement;
      if (!node.data.trim() || /^(SCRIPT|STYLE|NOSCRIPT|TITLE|OPTION)$/.test(e.tagName)) continue;
      if (e.closest('svg') || !shown(e) || e.closest('[disabled], [aria-disabled=true]')) continue;
      if (document.querySelector('dialog:modal') && !e.closest('dialog:modal')) continue;
      const clip = getComputedStyle(e);
      if (clip.clipPath !== 'none' && clip.position === 'absolute') continue;
      const size = parseFloat(clip.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(clip.fontWeight) >= 700);
      const wanted = large ? 3 : 4.5;
      const text = colour(clip.color);
      const least = Math.min(...behind(e).map(c => ratio(over(text, c), c)));
      if (least < wanted - 0.005) {
        const place = where(e) + ' ' + least.toFixed(2) + ', wanted ' + wanted;
        if (!told.has(place)) say('contrast', place);
        told.add(place);
      }
    }
    """#

  /// Marks what can have the focus, and returns how much that is.
  static let beginFocus = #"""
    const modal = document.querySelector('dialog:modal');
    const root = modal || document;
    const reached = Array.from(root.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]'
    )).filter(e => e.tabIndex >= 0 && !e.disabled && e.type !== 'hidden'
      && e.checkVisibility({ visibilityProperty: true }) && !e.closest('[inert]'));
    // One of a group of radio buttons is reached, the others with the arrows.
    const groups = new Set();
    const stops = reached.filter(e => {
      if (e.type !== 'radio') return true;
      if (groups.has(e.name)) return false;
      groups.add(e.name);
      return true;
    });
    if (document.activeElement) document.activeElement.blur();
    window.__focus = { stops, seen: [], plain: [] };
    const first = modal || document.body;
    first.setAttribute('tabindex', '-1');
    first.focus({ preventScroll: true });
    first.removeAttribute('tabindex');
    return stops.length;
    """#

  static let noteFocus = #"""
    const e = document.activeElement;
    const style = getComputedStyle(e);
    const visible = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
      || style.boxShadow !== 'none';
    const within = e.closest('label, .focusable');
    const around = within ? getComputedStyle(within) : null;
    const helped = around && around.outlineStyle !== 'none' && parseFloat(around.outlineWidth) > 0;
    window.__focus.seen.push(e);
    if (!visible && !helped) window.__focus.plain.push(e);
    """#

  static let endFocus = #"""
    const { stops, seen, plain } = window.__focus;
    delete window.__focus;
    const where = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '')
      + " '" + page.squeeze(e.textContent || e.value).slice(0, 40) + "'";
    const said = plain.filter(e => e !== document.body)
      .map(e => where(e) + ' does not show that it has the focus');
    let last = -1;
    for (const e of seen) {
      if (e === document.body) continue;
      const place = stops.findIndex(s => s === e
        || (s.type === 'radio' && e.type === 'radio' && s.name === e.name));
      if (place < 0) continue;
      if (place < last) said.push(where(e) + ' comes out of order');
      last = place;
    }
    const missed = stops.filter(s => !seen.some(e => e === s
      || (s.type === 'radio' && e.type === 'radio' && s.name === e.name)));
    for (const e of missed) said.push(where(e) + ' is not reached with Tab');
    if (document.activeElement) document.activeElement.blur();
    return said;
    """#
}
