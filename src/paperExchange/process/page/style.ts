// Styles of the control page, in addition to those of all isobar pages.

/** CSS. */
export const PAGE_STYLE = `
.tabs{display:flex;flex-wrap:wrap;gap:8px;margin-top:16px}
.tabs a[aria-current]{border-color:var(--accent);color:var(--accent)}
.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px}
.two>section[id]{min-width:0}
.book{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
.book td{position:relative}
.depth{position:absolute;inset:2px 0;width:100%;height:calc(100% - 4px);opacity:.16}
.gain .depth rect{fill:var(--gain)}.loss .depth rect{fill:var(--loss)}
.book td span{position:relative}
.left,table .left{text-align:left}
#orders .left:not(:first-child),#accounts .left:not(:first-child),#positions .left:not(:first-child){padding-left:24px}
.empty td{color:var(--muted);text-align:left;font-family:inherit}
#stale{color:var(--warn);background:var(--warn-bg);border-radius:6px;padding:8px 12px;margin-top:12px;font-weight:600}
[data-stale] main>:not(#stale){opacity:.4}
.cards{grid-template-columns:repeat(4,minmax(0,1fr))}
@media (max-width:900px){.two{grid-template-columns:minmax(0,1fr);gap:0}}
@media (max-width:700px){.cards{grid-template-columns:repeat(2,minmax(0,1fr))}.book{gap:8px}.book td,.book th{padding:3px 4px}
#orders .left:not(:first-child),#accounts .left:not(:first-child),#positions .left:not(:first-child){padding-left:8px}
.scroll td,.scroll th{padding:4px}}
`;
