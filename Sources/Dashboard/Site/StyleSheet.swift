/// The style of the pages: one column of quiet surfaces, colour only where it says something.
enum StyleSheet {
  static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#1f5f8b" \
    d="M4 7h16l-1.4 12.2a2 2 0 0 1-2 1.8H7.4a2 2 0 0 1-2-1.8z"/><path fill="none" \
    stroke="#1f5f8b" stroke-width="1.6" d="M8.5 9V6.5a3.5 3.5 0 0 1 7 0V9"/><path fill="none" \
    stroke="#fff" stroke-width="1.8" d="m9 14.2 2.2 2.2 4-4.4"/></svg>
    """

  static let ground = """
    :root {
      color-scheme: light dark;
      --ground: #f7f6f3; --surface: #ffffff; --sunk: #f1efea; --ink: #1e2227; --muted: #59616b;
      --line: #e3e0d9; --strong: #8a8f96; --accent: #1d5c87; --accent-ink: #ffffff;
      --good: #21683f; --good-ground: #e8f3ea; --warn: #7d5300; --warn-ground: #fbf0d9;
      --bad: #9d2c2f; --bad-ground: #fbe9e8; --info: #1d5c87; --info-ground: #e6f0f7;
      --c1: #2f6f9f; --c2: #b8702a; --c3: #478467; --c4: #845a9e; --c5: #a94f57; --c6: #6b7480;
      --shadow: 0 1px 2px rgb(30 34 39 / 5%), 0 4px 14px rgb(30 34 39 / 4%);
      --radius: 12px;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14171a; --surface: #1b1f23; --sunk: #23282d; --ink: #e9e7e2; --muted: #a5aeb8;
        --line: #2f353b; --strong: #7d868f; --accent: #8fc1e6; --accent-ink: #10202c;
        --good: #8fd0a5; --good-ground: #1b2f23; --warn: #e8bf6a; --warn-ground: #352a14;
        --bad: #f0a3a3; --bad-ground: #3a2021; --info: #8fc1e6; --info-ground: #1a2c3a;
        --c1: #6aa7d2; --c2: #d9985a; --c3: #7dba9b; --c4: #b792d0; --c5: #d9868c; --c6: #98a2ad;
        --shadow: none;
      }
    }
    *, *::before, *::after { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body {
      margin: 0; background: var(--ground); color: var(--ink);
      font: 400 0.9375rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
        "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif;
    }
    h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 600; letter-spacing: -0.01em; }
    h1 { font-size: 1.625rem; margin-bottom: 1.25rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.0625rem; }
    h3 { font-size: 0.9375rem; }
    :lang(zh-Hans) h1, :lang(zh-Hans) h2 { letter-spacing: 0; }
    p { margin: 0 0 0.75rem; max-width: 68ch; }
    a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
    a:hover { text-decoration-thickness: 2px; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    main:focus { outline: none; }
    code { font: 0.875em ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
      overflow-wrap: anywhere; }
    time, .num, .figure, dd, code { font-variant-numeric: tabular-nums; }
    .muted { color: var(--muted); }
    .small { font-size: 0.8125rem; }
    .hidden, .skip:not(:focus) {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap; margin: -1px; padding: 0; border: 0;
    }
    .skip:focus { position: fixed; inset: 0.5rem auto auto 0.5rem; z-index: 2; padding: 0.5rem 1rem;
      background: var(--surface); }

    .top { display: flex; align-items: center; gap: 0.75rem 1.25rem; flex-wrap: wrap;
      padding: 0.75rem 1.5rem; background: var(--surface); border-bottom: 1px solid var(--line); }
    .brand { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 650;
      color: var(--ink); text-decoration: none; letter-spacing: -0.01em; }
    .sign { width: 1.5rem; height: 1.5rem; fill: none; stroke: var(--accent); stroke-width: 1.7;
      stroke-linecap: round; stroke-linejoin: round; }
    .chooser { display: flex; gap: 0.5rem; align-items: center; min-width: 0; }
    .chooser select { max-width: 22rem; min-width: 0; }
    .script .chooser button { display: none; }
    .who { margin-inline-start: auto; display: flex; gap: 0.75rem; align-items: center; }
    .frame { display: grid; grid-template-columns: 13rem minmax(0, 1fr); max-width: 90rem;
      margin: 0 auto; }
    .menu { padding: 1.5rem 0 1.5rem 1rem; }
    .menu ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.125rem;
      position: sticky; top: 1rem; }
    .menu a { display: block; padding: 0.4375rem 0.75rem; border-radius: 8px; color: var(--muted);
      text-decoration: none; }
    .menu a:hover { background: var(--sunk); color: var(--ink); }
    .menu a[aria-current] { background: var(--sunk); color: var(--ink); font-weight: 600;
      box-shadow: inset 3px 0 0 var(--accent); }
    main { padding: 1.75rem 2rem 3rem; min-width: 0; }
    .foot { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between;
      padding: 1rem 2rem; border-top: 1px solid var(--line); font-size: 0.8125rem;
      max-width: 90rem; margin: 0 auto; }
    .foot p { margin: 0; }
    .languages { display: flex; gap: 1rem; }
    .languages a[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
    .bare { min-height: 100vh; display: grid; grid-template-rows: 1fr auto; }
    .door { width: min(24rem, 100% - 2rem); margin: auto; padding: 2rem 0; }
    .door h1 { font-size: 1.375rem; margin: 0.75rem 0 1rem; }
    .door-foot { padding: 1rem; text-align: center; font-size: 0.875rem; }

    """

  static let parts = """
    .card { background: var(--surface); border: 1px solid var(--line);
      border-radius: var(--radius); box-shadow: var(--shadow); padding: 1.25rem 1.5rem;
      margin-bottom: 1.25rem; min-width: 0; }
    .card-head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem;
      align-items: baseline; margin-bottom: 0.875rem; }
    .card > :last-child { margin-bottom: 0; }
    .grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1.25rem; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr));
      gap: 1rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
    .tile { background: var(--surface); border: 1px solid var(--line);
      border-radius: var(--radius); padding: 1rem 1.25rem; box-shadow: var(--shadow); }
    .tile-name { color: var(--muted); font-size: 0.8125rem; margin: 0 0 0.25rem; }
    .figure { font-size: 1.625rem; line-height: 1.2; font-weight: 600; margin: 0;
      letter-spacing: -0.02em; overflow-wrap: anywhere; }
    .tile .muted { font-size: 0.8125rem; margin: 0.25rem 0 0; }

    .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr));
      gap: 0.75rem 1.5rem; margin: 0; }
    .facts div { min-width: 0; }
    .facts dt { color: var(--muted); font-size: 0.8125rem; }
    .facts dd { margin: 0; overflow-wrap: anywhere; }

    .badge { display: inline-flex; align-items: center; gap: 0.375rem; padding: 0.0625rem 0.5rem;
      border-radius: 999px; font-size: 0.8125rem; font-weight: 550; white-space: nowrap;
      background: var(--sunk); color: var(--muted); }
    .mark { width: 0.625rem; height: 0.625rem; flex: none; fill: currentColor; }
    .mark .ring { fill: none; stroke: currentColor; stroke-width: 1.6; }
    .badge.good, .notice.good { background: var(--good-ground); color: var(--good); }
    .badge.warn, .notice.warn { background: var(--warn-ground); color: var(--warn); }
    .badge.bad, .notice.bad { background: var(--bad-ground); color: var(--bad); }
    .badge.info, .notice.info { background: var(--info-ground); color: var(--info); }
    .notice { display: flex; gap: 0.625rem; align-items: baseline; border-radius: 8px;
      padding: 0.625rem 0.875rem; margin-bottom: 1rem; max-width: none; }
    .empty { text-align: center; padding: 1.75rem 1rem; }
    .empty p { margin: 0 auto 0.25rem; }
    .empty-title { font-weight: 600; }

    table.data { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
    table.data caption { text-align: start; color: var(--muted); font-size: 0.8125rem;
      padding-bottom: 0.5rem; }
    .data th { text-align: start; font-weight: 550; }
    .data thead th { color: var(--muted); font-size: 0.8125rem; border-bottom: 1px solid
      var(--line); padding: 0.375rem 0.75rem 0.375rem 0; white-space: nowrap; }
    .data tbody th, .data td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid
      var(--line); vertical-align: top; overflow-wrap: anywhere; }
    .data tbody tr:last-child > * { border-bottom: 0; }
    .data .num { text-align: end; white-space: nowrap; }
    .data .num:last-child { padding-inline-end: 0; }
    .scroll { overflow-x: auto; }

    label { font-weight: 550; font-size: 0.875rem; }
    input, select, textarea, button { font: inherit; color: inherit; }
    input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea {
      background: var(--surface); border: 1px solid var(--strong); border-radius: 8px;
      padding: 0.4375rem 0.625rem; min-height: 2.5rem; max-width: 100%; }
    textarea { width: 100%; }
    .field { display: grid; gap: 0.25rem; min-width: 0; }
    .stack { display: grid; gap: 1rem; margin-bottom: 1rem; }
    .row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; margin-bottom: 1rem; }
    .row .grow { flex: 1 1 16rem; }
    .row .grow input { width: 100%; }
    button { cursor: pointer; border-radius: 8px; border: 1px solid var(--strong);
      background: var(--surface); padding: 0.4375rem 0.875rem; min-height: 2.5rem;
      font-weight: 550; }
    button:hover { background: var(--sunk); }
    button.primary { background: var(--accent); border-color: var(--accent);
      color: var(--accent-ink); }
    button.primary:hover { filter: brightness(1.08); }
    button.danger { color: var(--bad); border-color: currentColor; }
    button.quiet { border-color: transparent; background: none; color: var(--accent);
      padding-inline: 0.5rem; }
    fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1rem;
      padding: 0.75rem 1rem; }
    .check { display: flex; gap: 0.5rem; align-items: center; min-height: 2rem; }
    .pager { display: flex; gap: 1rem; margin-top: 1rem; }
    .filters { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0 0 1rem; padding: 0;
      list-style: none; }
    .filters a { display: inline-block; padding: 0.25rem 0.75rem; border-radius: 999px;
      border: 1px solid var(--line); color: var(--muted); text-decoration: none; }
    .filters a[aria-current] { background: var(--ink); color: var(--surface);
      border-color: var(--ink); }
    .filter-box { margin-bottom: 0.75rem; }
    details > summary { cursor: pointer; color: var(--accent); font-size: 0.875rem;
      padding: 0.25rem 0; }
    progress { width: 100%; accent-color: var(--accent); }

    .timeline { list-style: none; margin: 0; padding: 0; }
    .timeline > li { display: grid; grid-template-columns: 11rem 1.25rem minmax(0, 1fr);
      gap: 0 0.75rem; padding-bottom: 1rem; position: relative; }
    .timeline > li::before { content: ""; position: absolute; inset-block: 1.1rem 0;
      inset-inline-start: calc(11rem + 1.3125rem); border-inline-start: 1px solid var(--line); }
    .timeline > li:last-child::before { display: none; }
    .timeline time { color: var(--muted); font-size: 0.8125rem; padding-top: 0.0625rem; }
    .timeline .mark { margin: 0.4rem auto 0; width: 0.75rem; height: 0.75rem; color: var(--muted); }
    .timeline .mark.good { color: var(--good); }
    .timeline .mark.warn { color: var(--warn); }
    .timeline .mark.bad { color: var(--bad); }
    .timeline .mark.info { color: var(--info); }
    .timeline p { margin: 0; }
    .answer { font-size: 1.0625rem; }
    .reasons { margin: 0; padding-inline-start: 1.125rem; display: grid; gap: 0.5rem; }

    """

  static let charts = """
    .chart { width: 100%; height: auto; display: block; overflow: visible; }
    .chart text { font-size: 12px; fill: var(--muted); font-variant-numeric: tabular-nums; }
    .chart .grid-line { stroke: var(--line); stroke-width: 1; }
    .chart .axis { stroke: var(--strong); stroke-width: 1; }
    .chart .line { fill: none; stroke: var(--c1); stroke-width: 2.25; stroke-linejoin: round; }
    .chart .area { fill: var(--c1); opacity: 0.12; }
    .chart .b1, .key.b1 { fill: var(--c1); } .chart .b2, .key.b2 { fill: var(--c2); }
    .chart .b3, .key.b3 { fill: var(--c3); } .chart .b4, .key.b4 { fill: var(--c4); }
    .chart .b5, .key.b5 { fill: var(--c5); } .chart .b6, .key.b6 { fill: var(--c6); }
    .chart .plain { fill: var(--c1); }
    .keys { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; padding: 0;
      margin: 0.5rem 0 0.75rem; font-size: 0.8125rem; }
    .keys li { display: flex; align-items: center; gap: 0.375rem; overflow-wrap: anywhere; }
    .key { width: 0.75rem; height: 0.75rem; flex: none; }
    figure { margin: 0; }
    @media (min-width: 60.01rem) {
      .grid .chart text { font-size: 21px; }
      .grid .chart .spare { display: none; }
    }
    .cohorts td { text-align: end; }
    .cohorts .s1 { background: color-mix(in srgb, var(--c1) 8%, transparent); }
    .cohorts .s2 { background: color-mix(in srgb, var(--c1) 16%, transparent); }
    .cohorts .s3 { background: color-mix(in srgb, var(--c1) 24%, transparent); }
    .cohorts .s4 { background: color-mix(in srgb, var(--c1) 32%, transparent); }
    .cohorts th, .cohorts td { padding: 0.4375rem 0.625rem !important; white-space: nowrap; }

    """

  static let narrow = """
    @media (max-width: 60rem) {
      .frame { display: block; }
      .menu { padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); overflow-x: auto;
        background: var(--surface); }
      .menu ul { display: flex; position: static; width: max-content; }
      .menu a { white-space: nowrap; }
      .menu a[aria-current] { box-shadow: inset 0 -3px 0 var(--accent);
        border-radius: 8px 8px 0 0; }
      .grid { grid-template-columns: minmax(0, 1fr); }
      main { padding: 1.25rem 1rem 2rem; }
      .top, .foot { padding-inline: 1rem; }
    }
    @media (max-width: 40rem) {
      h1 { font-size: 1.375rem; }
      .card { padding: 1rem; }
      .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.625rem; }
      .tile { padding: 0.75rem 0.875rem; }
      .figure { font-size: 1.25rem; }
      .chooser { width: 100%; }
      .chooser select { flex: 1; max-width: none; }
      table.data:not(.cohorts), .data:not(.cohorts) caption, .data:not(.cohorts) tbody,
      .data:not(.cohorts) tr, .data:not(.cohorts) td, .data:not(.cohorts) tbody th {
        display: block; }
      .data:not(.cohorts) thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
        clip-path: inset(50%); }
      .data:not(.cohorts) tr { border: 1px solid var(--line); border-radius: 10px;
        padding: 0.5rem 0.75rem; margin-bottom: 0.625rem; }
      .data:not(.cohorts) tbody th, .data:not(.cohorts) td { border: 0; padding: 0.1875rem 0;
        display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0.5rem;
        text-align: start; white-space: normal; }
      .data:not(.cohorts) tbody th::before, .data:not(.cohorts) td::before {
        content: attr(data-label); color: var(--muted); font-weight: 400; font-size: 0.8125rem; }
      .timeline > li { grid-template-columns: 1.25rem minmax(0, 1fr); }
      .timeline > li::before { inset-inline-start: 0.5625rem; inset-block: 1.3rem 0; }
      .timeline time { grid-column: 2; grid-row: 1; }
      .timeline .mark { grid-column: 1; grid-row: 1; }
      .timeline .said { grid-column: 2; }
      .chart text { font-size: 22px; }
      .chart .spare { display: none; }
    }
    @media (prefers-reduced-motion: no-preference) {
      a, button { transition: background-color 120ms, color 120ms; }
    }
    @media print {
      .top, .menu, .foot, form { display: none; }
      .frame { display: block; }
      .card { break-inside: avoid; box-shadow: none; }
    }

    """
}
