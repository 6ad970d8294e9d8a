// Additional CSS of the sweep report: the map, its legend, and selectable rows.

/** The style sheet of the sweep report, in addition to that of all pages. */
export const SWEEP_STYLE = `
#map{display:block;touch-action:pan-y;cursor:crosshair;border-radius:0}
#map:focus-visible{outline-offset:4px}
.holder{overflow:hidden}
#map-read{min-height:34px}
#map-read span:first-child{color:var(--text);font-weight:600}
.under{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center;margin-top:12px;font-size:12px;color:var(--muted)}
#map-key{display:flex;align-items:center;gap:8px}
#map-key .end{font-family:ui-monospace,'SF Mono',SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.shades{display:flex;width:168px;height:12px}
.shades span{flex:1}
.sign{display:inline-block;width:14px;height:12px;vertical-align:-1px;margin-right:6px}
.sign.best{border:2.5px solid var(--text)}
.sign.plateau{border:1.5px dashed var(--text)}
.sign.chosen{border:2.5px solid var(--bench)}
.sign.refused{background:repeating-linear-gradient(135deg,color-mix(in srgb,var(--muted) 45%,transparent) 0 1px,color-mix(in srgb,var(--line) 45%,transparent) 1px 4px)}
.bar label[hidden]{display:none}
#best tbody tr{cursor:pointer;background:var(--surface)}
#best tbody tr:hover{background:color-mix(in srgb,var(--accent) 6%,var(--surface))}
#best tbody tr[aria-selected=true]{background:color-mix(in srgb,var(--accent) 14%,var(--surface))}
#best tbody tr:focus-visible{outline-offset:-2px}
#best tbody th{background:inherit;color:var(--text);text-align:left}
#best tr.plateau>*{border-top:2px solid var(--line)}
#best td.by{font-weight:600}
#each h2{margin-bottom:4px}
#parameters figure:only-child{grid-column:1/-1}
#parameters{margin-top:12px;display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:24px}
.prose{max-width:760px}
.prose p+p{margin-top:8px}
@media (max-width:700px){#parameters{grid-template-columns:minmax(0,1fr)}.shades{width:120px}}
`;
