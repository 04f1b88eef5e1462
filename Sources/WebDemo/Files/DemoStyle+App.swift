extension DemoStyle {
  static let screens = """
    .app { flex: 1; min-height: 0; overflow-y: auto; padding: 4px 16px 18px;
      scrollbar-width: none; }
    .app::-webkit-scrollbar { display: none; }
    .app .small { color: var(--label2); }
    .app a { color: var(--button-ink); }
    .hero {
      border-radius: 22px; padding: 20px; color: #fff; margin-bottom: 16px;
      background: linear-gradient(150deg, #0a5f78 0%, #0b4668 55%, #0f3156 100%);
    }
    .hero h3 { font-size: 27px; letter-spacing: -.02em; }
    .purse { display: flex; align-items: baseline; gap: 6px; margin-top: 12px; font-size: 17px; }
    .purse .icon { align-self: center; color: #ffd873; }
    .purse strong { font-size: 26px; font-variant-numeric: tabular-nums; }
    .rights { margin-top: 2px; color: #dcebf1; font-size: 14px; }
    .rows { display: grid; gap: 10px; margin-bottom: 14px; }
    .row {
      display: grid; grid-template-columns: auto 1fr auto; gap: 12px; align-items: center;
      background: var(--cell); border-radius: 18px; padding: 14px;
    }
    .row h4, .card h4, .group h4 { font-size: 16px; }
    .row .about p { font-size: 14px; color: var(--label2); }
    .row .about .small { font-size: 12px; margin-top: 2px; }
    .badge {
      display: grid; place-items: center; width: 46px; height: 46px; border-radius: 13px;
        color: #fff;
      font-size: 19px;
    }
    .badge.gold { background: linear-gradient(145deg, #d99a1c, #a55d06); }
    .badge.coral { background: linear-gradient(145deg, #e2604f, #a22a4b); }
    .badge.sea { background: linear-gradient(145deg, #17a2b8, #0b4f7a); width: 56px; height: 56px;
      border-radius: 16px; font-size: 24px; margin: 0 auto 10px; }
    .deal { text-align: right; display: grid; gap: 6px; justify-items: end; }
    .deal .price { font-weight: 650; font-variant-numeric: tabular-nums; }
    .buy {
      border: 0; border-radius: 999px; min-height: 34px; padding: 6px 18px; font-weight: 650;
      background: var(--button); color: var(--button-ink); transition: transform .12s, filter .15s;
    }
    .buy:hover:enabled { filter: brightness(.96); }
    .buy:active:enabled { transform: scale(.97); }
    .buy:disabled { background: var(--hair); color: var(--label2); }
    .buy.busy::before {
      content: ""; display: inline-block; width: 12px; height: 12px; margin-right: 7px;
      border: 2px solid currentColor; border-right-color: transparent; border-radius: 50%;
      vertical-align: -1px; animation: turn .8s linear infinite;
    }
    .caption { font-size: 13px; color: var(--warn) !important; font-weight: 550; margin-top: 4px; }
    .placeholder { text-align: center; padding: 26px 10px; color: var(--label2); }
    .message:empty { display: none; }
    .message {
      position: sticky; top: 2px; z-index: 3; display: flex; align-items: center; gap: 6px;
      margin-bottom: 12px; padding: 8px 6px 8px 14px; border-radius: 16px; background: var(--sheet);
      box-shadow: 0 6px 22px rgb(10 20 30 / .18); font-size: 14px; animation: drop .28s ease-out;
    }
    .message p { flex: 1; }
    .app .plain { color: var(--button-ink); }
    .pitch { text-align: center; padding: 8px 4px 14px; }
    .pitch h3 { font-size: 25px; letter-spacing: -.02em; }
    .pitch > p { color: var(--label2); }
    .points { display: inline-grid; gap: 5px; margin-top: 12px; text-align: left; font-size: 15px; }
    .points .icon { color: var(--good); margin-right: 8px; }
    .cards { display: grid; gap: 12px; }
    .card { background: var(--cell); border: 2px solid transparent; border-radius: 20px;
      padding: 14px 16px; }
    .card.mine { border-color: var(--accent); }
    .card-head { display: flex; justify-content: space-between; gap: 8px; align-items: baseline; }
    .length { color: var(--label2); font-size: 14px; white-space: nowrap; }
    .card .price { font-size: 22px; font-weight: 700; letter-spacing: -.01em; }
    .card .offer { color: var(--good); font-weight: 550; font-size: 14px; }
    .card .buy {
      width: 100%; min-height: 44px; margin: 10px 0 8px; background: #0a5c70; color: #fff;
        font-size: 16px;
    }
    .card .buy:disabled { background: var(--hair); color: var(--label2); }
    .card .small { font-size: 12px; }
    .below { text-align: center; margin-top: 12px; display: grid; gap: 2px; justify-items: center; }
    .policies { display: flex; gap: 18px; justify-content: center; font-size: 13px; }
    .policies a { padding: 4px 2px; }
    .mine-screen h3 { font-size: 27px; letter-spacing: -.02em; margin: 6px 2px 12px; }
    .belongings {
      display: grid; grid-template-columns: 1fr auto; background: var(--cell); border-radius: 18px;
      padding: 4px 16px; margin-bottom: 14px;
    }
    .belongings dt, .belongings dd { padding: 11px 0; }
    .belongings dd { font-weight: 600; text-align: right; font-variant-numeric: tabular-nums; }
    .belongings dt:nth-of-type(n + 2), .belongings dd:nth-of-type(n + 2) {
      border-top: 1px solid var(--hair); }
    .group { background: var(--cell); border-radius: 18px; padding: 14px 16px;
      margin-bottom: 14px; }
    .group h4 { margin-bottom: 6px; }
    .plan + .plan { border-top: 1px solid var(--hair); margin-top: 10px; padding-top: 10px; }
    .plan-title { font-weight: 600; display: flex; gap: 8px; justify-content: space-between; }
    .plan .pill { background: var(--hair); color: var(--label); }
    .plan.active .pill { background: var(--good-tint); color: var(--good); }
    .tabbar {
      flex: none; display: grid; grid-template-columns: repeat(3, 1fr); padding: 6px 20px 2px;
      border-top: 1px solid var(--hair); background: var(--cell);
    }
    .tabbar a {
      display: grid; justify-items: center; gap: 1px; padding: 5px; font-size: 12px;
        font-weight: 550;
      color: var(--label2); text-decoration: none; border-radius: 12px;
    }
    .tabbar .icon { width: 24px; height: 24px; }
    .tabbar a[aria-current] { color: var(--button-ink); }
    .in-app .homebar { background: var(--cell); }
    .in-app .tab-shop, .in-app .status { background: var(--screen); }
    @keyframes turn { to { transform: rotate(1turn); } }
    @keyframes drop { from { opacity: 0; transform: translateY(-10px); } }

    """

  static let sheet = """
    .sheet-shade {
      position: absolute; inset: 0; z-index: 5; display: flex; align-items: flex-end;
      background: rgb(5 10 16 / .5); animation: fade .25s ease-out;
    }
    .sheet {
      width: 100%; padding: 16px 18px 22px; border-radius: 26px 26px 40px 40px;
        background: var(--sheet);
      color: var(--label); animation: rise .42s cubic-bezier(.2, .9, .25, 1);
    }
    .sheet .small { color: var(--label2); }
    .sheet-head { display: flex; justify-content: space-between; align-items: center;
      margin-bottom: 10px; }
    .sheet-head h3 { font-size: 19px; }
    .round {
      display: grid; place-items: center; width: 32px; height: 32px; border-radius: 50%; border: 0;
      background: var(--hair); color: var(--label);
    }
    .round .icon { width: 17px; height: 17px; }
    .sheet-offer { display: flex; gap: 12px; align-items: center; padding-bottom: 14px; }
    .sheet-product { font-weight: 650; font-size: 17px; }
    .sheet-facts { border-top: 1px solid var(--hair); border-bottom: 1px solid var(--hair);
      padding: 6px 0 10px; }
    .fact { display: flex; justify-content: space-between; gap: 16px; padding: 6px 0;
      font-size: 15px; }
    .fact span { color: var(--label2); }
    .fact strong { font-weight: 600; text-align: right; }
    .fact.big strong { font-size: 18px; }
    .pay {
      width: 100%; min-height: 50px; margin-top: 14px; border: 0; border-radius: 14px;
        font-size: 17px;
      font-weight: 650; color: #fff; background: #0a5fd0; transition: transform .12s;
    }
    .pay:active { transform: scale(.985); }
    .pay[aria-busy=true] { opacity: .75; }
    .sheet-others { display: flex; justify-content: space-between; margin-top: 8px; }
    .sheet-others .quiet { font-size: 13px; padding: 6px 4px; color: var(--button-ink); }
    .leaving { animation: fade .22s ease-in reverse forwards; }
    .leaving .sheet { animation: fall .25s ease-in forwards; }
    @keyframes fade { from { background: rgb(5 10 16 / 0); } }
    @keyframes rise { from { transform: translateY(100%); } }
    @keyframes fall { to { transform: translateY(100%); } }
    .questions:empty { display: none; }
    .question {
      margin-top: 14px; padding: 14px 16px; border-radius: 20px; background: var(--card);
      box-shadow: var(--shadow); display: grid; gap: 8px; animation: drop .3s ease-out;
    }
    .question-from { font-size: 13px; color: var(--soft); font-weight: 550; }
    @media (prefers-reduced-motion: reduce) {
      *, *::before { animation-duration: .01ms !important; transition: none !important; }
    }

    """
}
