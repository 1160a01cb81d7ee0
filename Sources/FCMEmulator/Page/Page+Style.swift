extension Page {
    static let style = #"""
        :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif;
          --back: light-dark(#f4f5f7, #131417); --card: light-dark(#fff, #1e2024); --text: light-dark(#1b1d21, #e6e7ea);
          --faint: light-dark(#565b64, #a4a9b3); --line: light-dark(#d5d8de, #383b42); --edge: light-dark(#80858f, #7c818b);
          --accent: light-dark(#0b57d0, #8ab4f8); --onaccent: light-dark(#fff, #10131a); --good: light-dark(#0d652d, #81c995);
          --warn: light-dark(#b3261e, #f2b8b5);
          --ios: light-dark(#5a31c4, #c3b1f5); --android: light-dark(#0d652d, #81c995); --web: light-dark(#8a4600, #f4b87a); }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; background: var(--back); color: var(--text); }
        body > header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .7rem 1.25rem;
          border-bottom: 1px solid var(--line); background: var(--card); position: sticky; top: 0; z-index: 1; }
        h1 { font-size: 1.1rem; margin: 0; }
        h2 { font-size: 1rem; margin: 0 0 .75rem; }
        h3 { font-size: .85rem; margin: 0; font-weight: 600; }
        header p { margin: 0; }
        small { color: var(--faint); font-weight: 400; font-size: .8rem; }
        code, pre { font-family: ui-monospace, monospace; font-size: .8rem; }
        .time { font-variant-numeric: tabular-nums; }
        #clock { display: inline-block; min-width: 23ch; }
        #live { color: var(--faint); }
        #live::before { content: "\25CF\00A0"; }
        #live.on { color: var(--good); }
        button, select, input { font: inherit; padding: .2rem .6rem; border: 1px solid var(--edge); border-radius: .5rem;
          background: var(--card); color: inherit; max-width: 100%; }
        button { cursor: pointer; }
        button:hover { border-color: var(--accent); }
        button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--onaccent); }
        select.active { border-color: var(--warn); box-shadow: 0 0 0 1px var(--warn); }
        ::placeholder { color: var(--faint); opacity: 1; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(16rem, 22rem); gap: 2rem; padding: 1.25rem; }
        #empty { max-width: 44rem; color: var(--faint); }
        #empty code { display: block; margin-top: .5rem; padding: .7rem; border: 1px solid var(--line); border-radius: .5rem;
          background: var(--card); color: var(--text); overflow-wrap: anywhere; }
        #devices { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 1.25rem; }
        .phone { border: 1px solid var(--line); border-top: 4px solid var(--kind); border-radius: 1.4rem; padding: .8rem;
          min-height: 14rem; max-height: 26rem; display: flex; flex-direction: column; gap: .6rem; background: var(--card); min-width: 0; }
        .ios { --kind: var(--ios); } .android { --kind: var(--android); } .web { --kind: var(--web); border-radius: .5rem; }
        .offline { border-style: solid dashed dashed; background: none; }
        .phone h3 { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; margin-bottom: .5rem; }
        .phone h3 span { color: var(--kind); }
        .phone h3 code { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .controls { display: flex; gap: .4rem; font-size: .85rem; }
        .facts:not(:empty) { display: block; margin-top: .4rem; }
        .screen { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: .5rem; overflow: auto;
          padding: 3px; margin: 0 -3px; }
        .screen:empty::after { content: "nothing yet"; color: var(--faint); font-size: .8rem; }
        .note { display: block; flex: none; width: 100%; text-align: left; background: var(--back); border-radius: .8rem;
          border-color: var(--line); padding: .5rem .7rem; overflow-wrap: anywhere; }
        .note > * { display: block; }
        .note.silent { border-style: dashed; background: none; }
        .note.silent b { font-weight: 400; }
        .note.fresh { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
        aside section { margin-bottom: 1.75rem; }
        aside h2 { display: flex; justify-content: space-between; align-items: center; margin-bottom: .4rem; }
        aside h2 button { font-size: .8rem; font-weight: 400; }
        ol, ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
        ol:empty::after, ul:empty::after { content: "none"; display: block; padding: .35rem .25rem; color: var(--faint); }
        li, .send { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
        li { padding: .35rem .25rem; border-bottom: 1px solid var(--line); }
        li > *, .send > * { overflow-wrap: anywhere; min-width: 0; }
        li small { flex: none; }
        li:has(.send) { padding: 0; }
        .send { width: 100%; border: 0; border-radius: 0; background: none; padding: .35rem .25rem; text-align: left; }
        .send:hover { color: var(--accent); }
        dialog { width: min(76rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 0; border: 1px solid var(--edge);
          border-radius: 1rem; background: var(--card); color: inherit; overflow: auto; }
        dialog::backdrop { background: rgb(0 0 0 / .45); }
        dialog > div { padding: 1rem 1.25rem 1.25rem; }
        dialog header { display: flex; justify-content: space-between; align-items: start; gap: 1rem; }
        dialog small, dialog h3 code { overflow-wrap: anywhere; font-weight: 400; color: var(--faint); }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
        .pair > section { min-width: 0; }
        pre { margin: .4rem 0 0; padding: .7rem; background: var(--back); border: 1px solid var(--line); border-radius: .5rem;
          overflow: auto; max-height: 65dvh; white-space: pre-wrap; overflow-wrap: anywhere; }
        #problem { position: fixed; bottom: 1rem; left: 1rem; right: 1rem; width: fit-content; padding: .6rem .9rem;
          border-radius: .5rem; background: light-dark(#b3261e, #f2b8b5); color: light-dark(#fff, #601410); z-index: 2;
          overflow-wrap: anywhere; }
        #problem button { background: none; border-color: currentColor; margin-left: .5rem; }
        .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
        @media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } }
        @media (max-width: 44rem) {
          body > header { position: static; padding: .7rem 1rem; }
          main { padding: 1rem; }
          label:has(select), label:has(input) { display: flex; align-items: center; gap: .5rem; width: 100%; }
          label select, label input { flex: 1; min-width: 0; }
          button, select, input { min-height: 2.2rem; }
          .phone { min-height: 0; }
          .pair { grid-template-columns: minmax(0, 1fr); }
          pre { max-height: 40dvh; }
        }
        """#
}
