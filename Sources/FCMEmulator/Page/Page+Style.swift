extension Page {
    static let style = #"""
        :root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 18%, Canvas);
          --soft: color-mix(in srgb, CanvasText 6%, Canvas); --faint: color-mix(in srgb, CanvasText 62%, Canvas);
          --accent: light-dark(#0b57d0, #8ab4f8); font: 15px/1.45 system-ui, sans-serif; }
        * { box-sizing: border-box; }
        body { margin: 0; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .75rem 1.25rem;
          border-bottom: 1px solid var(--line); position: sticky; top: 0; background: Canvas; z-index: 1; }
        h1 { font-size: 1.1rem; margin: 0; }
        h2 { font-size: 1rem; margin: 0 0 .75rem; }
        h3 { font-size: .8rem; margin: 0 0 .25rem; color: var(--faint); font-weight: 600; }
        header p { margin: 0; }
        small, .faint { color: var(--faint); font-weight: 400; font-size: .8rem; }
        #live { color: var(--faint); }
        #live::before { content: "\25CF\00A0"; }
        #live.on { color: light-dark(#0d652d, #81c995); }
        button, select, input { font: inherit; padding: .2rem .55rem; border: 1px solid var(--line); border-radius: .5rem;
          background: var(--soft); color: inherit; }
        button { cursor: pointer; margin-right: .3rem; }
        button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: Canvas; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(20rem, 30rem); gap: 2rem; padding: 1.25rem; }
        @media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } }
        #devices { display: grid; grid-template-columns: repeat(auto-fill, 17rem); gap: 1.25rem; }
        .phone { border: 1px solid var(--line); border-radius: 1.6rem; padding: .9rem .8rem; min-height: 24rem;
          display: flex; flex-direction: column; gap: .6rem; background: var(--soft); }
        .phone.web { border-radius: .6rem; }
        .phone.away { opacity: .75; border-style: dashed; }
        .phone h3 { display: flex; justify-content: space-between; gap: .5rem; margin: 0; color: inherit; }
        .phone code { overflow-wrap: anywhere; }
        .screen { flex: 1; display: flex; flex-direction: column; gap: .45rem; overflow: auto; max-height: 24rem; }
        .note { display: block; width: 100%; text-align: left; margin: 0; background: Canvas; border-radius: .9rem;
          padding: .5rem .7rem; overflow-wrap: anywhere; }
        .note b, .note span { display: block; }
        .note.silent { border-style: dashed; background: none; }
        .note.fresh { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
        .controls button { font-size: .78rem; padding: .1rem .45rem; margin-bottom: .25rem; }
        ol, ul { list-style: none; margin: 0 0 1.5rem; padding: 0; }
        li { padding: .3rem 0; border-top: 1px solid var(--line); display: flex; justify-content: space-between; gap: 1rem;
          overflow-wrap: anywhere; }
        li:empty { display: none; }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-bottom: 1.5rem; }
        .pair > div { min-width: 0; }
        pre { margin: 0; padding: .6rem; background: var(--soft); border: 1px solid var(--line); border-radius: .5rem;
          font-size: .75rem; overflow: auto; max-height: 28rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        #problem { position: fixed; bottom: 1rem; left: 1rem; margin: 0; padding: .6rem .9rem; border-radius: .5rem;
          background: light-dark(#b3261e, #f2b8b5); color: light-dark(#fff, #601410); }
        """#
}
