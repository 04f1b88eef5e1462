/// How the page looks.
enum DemoStyle {
  static let text = colours + page + phone + screens + sheet + world + life + narrow

  /// The page's picture in the browser's tab.
  static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><defs>\
    <linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#0b7285"/>\
    <stop offset="1" stop-color="#0b3d5c"/></linearGradient></defs>\
    <rect width="32" height="32" rx="8" fill="url(#g)"/>\
    <path d="M4 13c3.500-3.600 7-3.600 10.500 0s7 3.600 10.500 0c1-1 2-1.700 3-2M4 21c3.500-3.600 \
    7-3.600 10.500 0s7 3.600 10.500 0c1-1 2-1.700 3-2" fill="none" stroke="#fff" \
    stroke-width="2.600" stroke-linecap="round"/></svg>
    """

  private static let colours = """
    :root {
      color-scheme: light dark;
      --paper: #f3f1ec; --card: #fff; --ink: #1b2430; --soft: #55606e; --line: #dedbd3;
      --accent: #0b6477; --accent-ink: #fff; --tint: #e3f0f2;
      --good: #1b6e3c; --good-tint: #e2f3e8; --bad: #a8321f; --bad-tint: #fbe9e5;
      --warn: #7a4f00; --warn-tint: #fbf0d9;
      --app: #0b6477; --store: #1d55b0; --server: #7a3ea8;
      --code: #efece5; --shadow: 0 1px 2px rgb(30 30 20 / .06), 0 6px 24px rgb(30 30 20 / .07);
      --screen: #f2f3f7; --sheet: #fff; --cell: #fff; --label: #111827; --label2: #5a6270;
      --hair: #dfe2e8; --bezel: #14171c; --button: #e6edf6; --button-ink: #0a4fae;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #101418; --card: #191f26; --ink: #e8ecf0; --soft: #a3aebb; --line: #2c343d;
        --accent: #6cc7da; --accent-ink: #06222a; --tint: #14303a;
        --good: #7fd6a0; --good-tint: #15301f; --bad: #f5a191; --bad-tint: #3a1e19;
        --warn: #f0c36b; --warn-tint: #35290f;
        --app: #6cc7da; --store: #8fb8ff; --server: #cda2f0;
        --code: #242c35; --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 8px 28px rgb(0 0 0 / .3);
        --screen: #0c0f14; --sheet: #20262e; --cell: #1a2028; --label: #f2f5f8;
        --label2: #a6b0bc; --hair: #2d3540; --bezel: #2a3038; --button: #22344f;
        --button-ink: #a9cbff;
      }
    }

    """

  private static let page = """
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.45 -apple-system, BlinkMacSystemFont, "SF Pro Text", Inter, "Segoe UI", Roboto,
        "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif;
    }
    h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0; }
    ul, ol { list-style: none; }
    a { color: var(--accent); text-underline-offset: 2px; }
    code { font: .86em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
      monospace; }
    button { font: inherit; color: inherit; cursor: pointer; }
    button:disabled { cursor: default; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 8px; }
    .icon {
      width: 1.25em; height: 1.25em; fill: none; stroke: currentColor; stroke-width: 1.8;
      stroke-linecap: round; stroke-linejoin: round; flex: none; vertical-align: -.25em;
    }
    .heard {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap;
    }
    .skip {
      position: fixed; left: 12px; top: -60px; z-index: 20; padding: 10px 14px;
      background: var(--card); border-radius: 10px; box-shadow: var(--shadow);
    }
    .skip:focus { top: 12px; }
    .small { font-size: 13px; color: var(--soft); }
    .center { text-align: center; }
    .top {
      display: flex; align-items: center; gap: 18px; max-width: 1240px; margin: 0 auto;
      padding: 18px 24px 6px;
    }
    .top h1 { font-size: 20px; letter-spacing: -.01em; display: flex; gap: 10px;
      align-items: center; }
    .mark {
      display: grid; place-items: center; width: 32px; height: 32px; border-radius: 9px;
      color: #fff; background: linear-gradient(135deg, #0b7285, #0b3d5c);
    }
    .tagline { color: var(--soft); flex: 1; }
    .languages { display: flex; gap: 4px; padding: 3px; border-radius: 999px;
      background: var(--code); }
    .languages a {
      padding: 4px 12px; border-radius: 999px; text-decoration: none; color: var(--ink);
      font-size: 14px;
    }
    .languages a[aria-current] { background: var(--card); font-weight: 600; }
    .stage {
      display: grid; grid-template-columns: 390px minmax(0, 1fr); gap: 0 40px;
      grid-template-rows: auto 1fr; max-width: 1240px; margin: 0 auto; padding: 14px 24px 64px;
    }
    .area-phone { grid-row: 1 / 3; align-self: start; position: sticky; top: 14px; }
    .area-world { grid-column: 2; }
    .area-life { grid-column: 2; margin-top: 26px; }
    h2 { font-size: 18px; letter-spacing: -.01em; }
    .button, .quiet, .plain, .chip {
      border: 0; border-radius: 10px; padding: 8px 13px; min-height: 36px; font-weight: 550;
      font-size: 14px; background: var(--code); color: var(--ink); transition: filter .15s;
    }
    .button:hover, .chip:hover { filter: brightness(.96); }
    .button.good { background: var(--good-tint); color: var(--good); }
    .button.bad { background: var(--bad-tint); color: var(--bad); }
    .quiet, .plain { background: none; color: var(--accent); padding: 8px 10px; }
    .button[aria-busy=true], .chip[aria-busy=true], .quiet[aria-busy=true] { opacity: .55; }
    .chip { border-radius: 999px; font-size: 13px; padding: 5px 12px; min-height: 32px; }
    .chip[aria-pressed=true] { background: var(--accent); color: var(--accent-ink); }
    .buttons { display: flex; flex-wrap: wrap; gap: 8px; }
    .ended {
      position: fixed; inset: auto 16px 16px; margin: auto; max-width: 460px; text-align: center;
      padding: 14px 18px; border-radius: 14px; background: var(--ink); color: var(--paper);
        z-index: 30;
    }

    """

  private static let phone = """
    .switch { display: flex; flex-wrap: wrap; gap: 6px; justify-content: center;
      margin-bottom: 10px; }
    .switch a, .switch button { padding: 5px 12px; border-radius: 999px; font-size: 14px;
      min-height: 32px; }
    .switch a { text-decoration: none; color: var(--ink); }
    .switch a[aria-current] { background: var(--card); box-shadow: var(--shadow);
      font-weight: 600; }
    .phone {
      position: relative; display: flex; flex-direction: column; width: 390px;
      height: min(800px, calc(100vh - 132px)); min-height: 600px; border: 11px solid var(--bezel);
      border-radius: 54px; overflow: hidden; background: var(--screen); color: var(--label);
      box-shadow: 0 0 0 2px #3a4048, 0 24px 60px rgb(10 20 30 / .28);
    }
    .status {
      display: flex; align-items: center; justify-content: space-between; height: 46px; flex: none;
      padding: 4px 26px 0; font-weight: 600; font-size: 15px; position: relative; z-index: 2;
      font-variant-numeric: tabular-nums;
    }
    .island {
      position: absolute; left: 50%; top: 9px; width: 108px; height: 30px; margin-left: -54px;
      border-radius: 20px; background: #05070a;
    }
    .screen { flex: 1; min-height: 0; display: flex; flex-direction: column; }
    .homebar { height: 24px; flex: none; display: grid; place-items: center; position: relative;
      z-index: 2; }
    .homebar .bar { width: 160px; height: 24px; padding: 0; border: 0; background: none; }
    .bar::before {
      content: ""; display: block; width: 136px; height: 5px; border-radius: 3px; margin: auto;
      background: currentColor; opacity: .75;
    }
    .phone.at-home {
      color: #fff; background: linear-gradient(160deg, #123a63 0%, #0d5a73 52%, #0a6b66 100%);
    }
    .home { flex: 1; display: flex; flex-direction: column; align-items: center;
      padding: 40px 26px; }
    .home .clock { font-size: 74px; font-weight: 250; line-height: 1; letter-spacing: -.02em; }
    .home .date { margin-top: 6px; font-weight: 550; }
    .obituary {
      margin-top: 34px; padding: 10px 16px; border-radius: 14px; background: rgb(4 24 38 / .62);
      font-size: 14px; text-align: center; max-width: 300px;
    }
    .app-icon {
      margin-top: auto; margin-bottom: 34px; background: none; border: 0; color: #fff;
        padding: 6px 12px;
      display: grid; gap: 8px; justify-items: center; transition: transform .15s;
        border-radius: 18px;
    }
    .app-icon:hover { transform: scale(1.04); }
    .app-icon:focus-visible { outline-color: #fff; }
    .tile {
      display: grid; place-items: center; width: 64px; height: 64px; border-radius: 15px;
        color: #fff;
      background: linear-gradient(145deg, #17a2b8, #0b4f7a);
        box-shadow: 0 4px 14px rgb(0 0 0 / .25);
      font-size: 26px;
    }
    .small-tile { width: 46px; height: 46px; border-radius: 11px; font-size: 19px;
      box-shadow: none; flex: none; }
    .label { font-weight: 600; font-size: 14px; }

    """
}
