extension DemoStyle {
  static let world = """
    .world-head { display: flex; align-items: center; justify-content: space-between;
      margin-bottom: 8px; }
    .trouble:empty { display: none; }
    .trouble {
      padding: 10px 14px; margin-bottom: 10px; border-radius: 12px; background: var(--bad-tint);
      color: var(--bad);
    }
    .panels { columns: 2; column-gap: 12px; }
    .panel {
      display: grid; gap: 8px; padding: 14px 16px; border-radius: 18px; margin-bottom: 12px;
      background: var(--card); box-shadow: var(--shadow); break-inside: avoid;
    }
    .panel h3 { font-size: 15px; display: flex; gap: 8px; align-items: center; }
    .panel h3 .icon { color: var(--accent); }
    .panel .state { font-size: 14px; color: var(--soft); font-variant-numeric: tabular-nums; }
    .light {
      display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin: 0 6px 0 0;
      background: var(--good);
    }
    .light.off { background: var(--bad); }
    .state .light ~ .light { margin-left: 10px; }
    .deaths { display: grid; gap: 6px; }
    .leaping { color: var(--warn); font-weight: 600; }

    """

  static let life = """
    .life-head { display: flex; align-items: baseline; justify-content: space-between; gap: 12px;
      flex-wrap: wrap; }
    .legend { display: flex; gap: 16px; font-size: 13px; color: var(--soft); }
    .legend li { display: flex; align-items: center; gap: 6px; }
    .dot { width: 9px; height: 9px; border-radius: 50%; background: currentColor; flex: none; }
    .lane-app .dot { color: var(--app); }
    .lane-store .dot { color: var(--store); }
    .lane-server .dot { color: var(--server); }
    .lives { display: grid; gap: 14px; margin-top: 10px; }
    .life {
      background: var(--card); border-radius: 18px; box-shadow: var(--shadow);
        padding: 16px 18px 10px;
      animation: drop .35s ease-out;
    }
    .life header { display: flex; align-items: center; justify-content: space-between; gap: 10px; }
    .life h3 { font-size: 16px; }
    .pill {
      display: inline-flex; gap: 6px; align-items: center; padding: 2px 10px; border-radius: 999px;
      font-size: 13px; font-weight: 600; background: var(--warn-tint); color: var(--warn);
    }
    .state-delivered { background: var(--good-tint); color: var(--good); }
    .state-cancelled, .state-scheduled { background: var(--code); color: var(--ink); }
    .state-failed, .state-quarantined, .state-refused { background: var(--bad-tint);
      color: var(--bad); }
    .summary {
      display: flex; flex-wrap: wrap; gap: 4px 12px; margin: 4px 0 10px; font-size: 13px;
        color: var(--soft);
    }
    .granted { color: var(--good); }
    .taken { color: var(--bad); }
    .owed { color: var(--warn); }
    .steps { position: relative; }
    .step {
      position: relative; display: grid; grid-template-columns: 20px 52px minmax(0, 1fr) auto;
      gap: 0 8px; align-items: baseline; padding: 4px 0; font-size: 14px;
        animation: appear .4s ease-out;
    }
    .step .dot { align-self: center; justify-self: center; z-index: 1;
      box-shadow: 0 0 0 3px var(--card); }
    .step::before {
      content: ""; position: absolute; left: 9px; top: 0; bottom: 0; width: 2px;
        background: var(--line);
    }
    .day + .step::before { top: 50%; }
    .day { font-size: 12px; font-weight: 600; color: var(--soft); padding: 6px 0 2px 28px; }
    .step:last-child::before { bottom: 50%; }
    .day + .step:last-child::before { display: none; }
    .when { color: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
    .word { background: var(--code); color: var(--ink); border-radius: 6px; padding: 1px 7px;
      font-size: 12px; }
    .good-step .word { background: var(--good-tint); color: var(--good); }
    .trouble-step .word { background: var(--bad-tint); color: var(--bad); }
    .times { font-weight: 650; }
    .device { color: var(--soft); }
    .life-foot { display: flex; align-items: center; gap: 10px; margin: 6px 0 0 -10px;
      font-size: 14px; }
    .empty {
      margin-top: 10px; padding: 22px 24px; border-radius: 18px; background: var(--card);
      box-shadow: var(--shadow); color: var(--soft);
    }
    .empty .lead { color: var(--ink); font-weight: 600; font-size: 16px; margin-bottom: 8px; }
    .empty ol { list-style: decimal; padding-left: 22px; display: grid; gap: 4px; }
    @keyframes appear { from { opacity: 0; transform: translateX(-6px); } }

    """

  static let narrow = """
    @media (max-width: 1080px) {
      .stage { grid-template-columns: 390px minmax(0, 1fr); gap: 0 24px; }
      .panels { columns: 1; }
    }
    @media (max-width: 820px) {
      .top { padding: 8px 16px; gap: 10px; }
      .top h1 { font-size: 17px; flex: 1; }
      .mark { width: 26px; height: 26px; border-radius: 8px; }
      .tagline { display: none; }
      .stage { display: block; padding: 0 0 48px; }
      .area-phone { position: static; }
      .switch { margin: 2px 12px 8px; }
      .phone {
        width: auto; height: calc(100svh - 150px); min-height: 560px; border: 0;
        border-radius: 28px; margin: 0 8px; box-shadow: var(--shadow);
      }
      .island { display: none; }
      .status { height: 36px; }
      .sheet { border-radius: 26px 26px 0 0; }
      .question { margin: 12px 12px 0; }
      .area-world, .area-life { margin: 20px 14px 0; }
      .panels { columns: 1; }
      .panel, .life, .empty { box-shadow: none; }
      .step { grid-template-columns: 20px 48px minmax(0, 1fr); }
      .step .word { grid-column: 3; justify-self: start; margin: 1px 0 3px; }
      .button, .chip { min-height: 40px; }
    }

    """
}
