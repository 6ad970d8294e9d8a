// CSS of the report: the design tokens, one column of at most 1,280 px, print on A4.

const LIGHT = `--page:#fbfbfa;--surface:#fff;--line:#e4e4e0;--text:#1c1d1f;--muted:#63666b;--gain:#0b7a6b;--loss:#b5381f;--accent:#2456b8;
--bench:#8a6d1b;--warn:#8f5b00;--warn-bg:#fff4dc;--s0:#2456b8;--s1:#8a6d1b;--s2:#7a3fa0;--s3:#0b7a6b;--s4:#a0405f;--s5:#4d6a1f;color-scheme:light`;
const DARK = `--page:#121314;--surface:#1a1c1e;--line:#2c3034;--text:#e8e9ea;--muted:#9aa0a6;--gain:#3cc7b0;--loss:#ff8a66;--accent:#7fa8ff;
--bench:#d9b64a;--warn:#ffcf70;--warn-bg:#33280f;--s0:#7fa8ff;--s1:#d9b64a;--s2:#c79bea;--s3:#3cc7b0;--s4:#f08aa8;--s5:#a9c96a;color-scheme:dark`;

/** Colors: the light and the dark set. A choice of the reader wins over that of the system. */
const COLORS = `:root{${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{${DARK}}`;

/** The page, headings, and text that is colored or only for screen readers. */
const TEXT_STYLE = `*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1280px;margin:0 auto;padding:24px 24px 48px}
h1,h2,h3,p,figure,dl,dd{margin:0}
h1{font-size:22px;font-weight:600;line-height:1.25}
h2{font-size:16px;font-weight:600}
h3{font-size:14px;font-weight:600;margin:16px 0 8px}
b,strong{font-weight:600}
a{color:var(--accent)}
code,pre,kbd,td,dd,.months th,.week th,#trade-table tbody th,.read{font-family:ui-monospace,'SF Mono',SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
code,pre,kbd{font-size:12px}
.muted{color:var(--muted)}.gain{color:var(--gain)}.loss{color:var(--loss)}.amber{color:var(--warn)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`;

/** Buttons, focus and keys. */
const CONTROLS = `button,select{font:inherit;font-size:12px;color:var(--text);background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:3px 8px;cursor:pointer}
button:hover,select:hover{border-color:var(--muted)}
button[aria-pressed=true]{border-color:var(--accent);color:var(--accent)}
button:disabled{color:var(--muted);cursor:default;border-color:var(--line)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:6px}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 4px}`;

/** Head of the page: title, answer, stamp, badges, and the chips and warnings about trust. */
const HEAD_STYLE = `.head{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:16px 24px}
.head h1{margin-bottom:4px;overflow-wrap:anywhere}
.answer{font-size:16px;margin-top:12px}
.stamp{font-size:12px;text-align:right}
.stamp p{margin-bottom:4px}
.stamp button{padding:1px 6px}
.badge{font-size:12px;font-weight:600;color:var(--warn);background:var(--warn-bg);border-radius:6px;padding:3px 8px;vertical-align:3px;white-space:nowrap}
.trust{display:flex;flex-wrap:wrap;gap:8px;margin-top:16px}
.chip{font-size:12px;color:var(--text);text-decoration:none;background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:4px 8px;position:relative}
.chip:hover{border-color:var(--muted)}
.chip.warn,.doubts{color:var(--warn);background:var(--warn-bg);border-color:transparent}
.chip.warn .muted{color:inherit}
.doubts{font-size:12px;border-radius:6px;padding:8px 12px;margin-top:8px}
.doubts b{margin-right:8px}`;

/** Cards with the main figures. */
const CARDS = `.cards{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:12px;margin-top:16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:16px;display:flex;flex-direction:column;gap:4px;min-width:0;position:relative}
.card .label,.card .sub{font-size:12px;color:var(--muted)}
.card .sub.amber{color:var(--warn)}
.card .value{font-size:22px;font-weight:600;line-height:1.2;letter-spacing:-.01em;white-space:nowrap}
.card .value .unit{font-size:12px;font-weight:400;letter-spacing:0}`;

/** Sections, their bars with ranges and filters, and the line of values under the pointer. */
const SECTIONS = `section[id]{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:16px;margin-top:12px;scroll-margin-top:12px}
section[id]>h2{margin-bottom:12px}
.bar{display:flex;align-items:center;gap:8px 12px;flex-wrap:wrap;margin-bottom:12px}
.bar .ranges,.bar .filters{margin-left:auto}
.ranges{display:flex;gap:4px}
.filters{display:flex;gap:8px;flex-wrap:wrap;align-items:center;font-size:12px}
.switch{font-size:12px}
input[type=checkbox]{accent-color:var(--accent);vertical-align:-2px;margin:0 4px 0 0}
.read{font-size:12px;color:var(--muted);min-height:17px;display:flex;flex-wrap:wrap;gap:0 12px}
.read span{white-space:nowrap}
.read b{font-weight:400}`;

/** Charts, legends and notes. */
const CHARTS = `.plots,.chart{position:relative;touch-action:pan-y;cursor:crosshair;user-select:none;-webkit-user-select:none}
.plots:focus-visible,.chart:focus-visible{outline-offset:4px}
.plot{width:100%;overflow:hidden}
.caption,figcaption{font-size:12px;color:var(--muted)}
.caption{margin-top:4px}
figcaption{margin-bottom:8px}
.chart{height:460px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:12px;color:var(--muted);margin-top:8px;min-height:17px}
.swatch{display:inline-block;width:12px;border-top:2px solid;vertical-align:4px;margin:0 4px 0 0}

.note{font-size:12px;margin-top:8px}
.u-cursor-x,.u-cursor-y{border-color:var(--muted)!important}
.u-legend{display:none}`;

/** Tables, with those of months and weekdays. */
const TABLES = `.scroll{overflow-x:auto;max-width:100%;-webkit-overflow-scrolling:touch;scrollbar-width:thin;scrollbar-color:var(--muted) var(--line)}
@supports not (scrollbar-color:auto){.scroll::-webkit-scrollbar{height:6px}.scroll::-webkit-scrollbar-track{background:var(--line)}
.scroll::-webkit-scrollbar-thumb{background:var(--muted);border-radius:3px}}
.cue{font-size:11px;color:var(--accent);text-align:right}
table th:first-child{position:sticky;left:0;background:var(--surface)}
table{border-collapse:collapse;width:100%;font-size:12px}
th{font-weight:400;color:var(--muted);text-align:right;padding:4px 8px;white-space:nowrap}
td{text-align:right;padding:4px 8px;white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
tbody th,tbody td{border-top:1px solid var(--line)}
table.plain tbody th{color:var(--text);text-align:left}
table.plain .t{text-align:left}
.months th,.months td,.week th,.week td{text-align:right;padding:4px 6px}
.months th:first-child,.week th:first-child{text-align:left;padding-left:0}
.months td.up,.week td.up{background:color-mix(in srgb,var(--gain) var(--tint),transparent)}
.months td.down,.week td.down{background:color-mix(in srgb,var(--loss) var(--tint),transparent)}
.months td.none{color:var(--line)}
.months td.total{font-weight:600}
.week td{font-size:11px;padding:4px 2px;text-align:center}
.week th{padding:4px 2px;text-align:center}`;

/** Grids and lists of figures, the bridge from gross to net, and the tables of groups. */
const LISTS = `.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:24px}
.figures{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 48px}
.figures h3:first-child{margin-top:0}
.list>div{display:flex;justify-content:space-between;gap:16px;padding:3px 0;border-top:1px solid var(--line);position:relative}
.list dt{color:var(--muted);font-size:12px}
.list dd{font-size:12px;text-align:right;overflow-wrap:anywhere}
.list.text dd{white-space:normal}
.bridge{margin:0}.bridge>div{display:grid;grid-template-columns:9em 9em minmax(0,1fr);gap:0 12px;align-items:center;padding:3px 0}
.bridge dt{color:var(--muted)}.bridge dd{margin:0;text-align:right;font-variant-numeric:tabular-nums}
.bridge .track{position:relative;height:14px}.bridge i{position:absolute;top:0;bottom:0;min-width:1px;border-radius:2px;background:var(--gain)}
.bridge i.down{background:var(--loss)}.bridge i:not(.total){opacity:.75}
@media (max-width:560px){.bridge>div{grid-template-columns:1fr auto}.bridge .track{grid-column:1/3}}
.columns{columns:2 400px;column-gap:24px}.columns>div{break-inside:avoid;padding:4px 0 12px}.columns h3{margin-top:0}
.groups button{border:0;background:none;padding:0;color:var(--accent);font-family:inherit;text-align:left}
.groups .track{position:relative;min-width:64px;width:30%}
.groups .track:before{content:'';position:absolute;left:50%;top:4px;bottom:4px;border-left:1px solid var(--line)}
.groups .track i{position:absolute;top:7px;bottom:7px;min-width:1px;background:var(--gain)}.groups .track i.down{background:var(--loss)}
#filter-group{border-color:var(--accent);color:var(--accent)}#filter-group[hidden]{display:none}
.codes code{margin-right:4px}`;

/** The table of trades, its pages and its commands. */
const TRADE_TABLE = `#trade-table th,#trade-table td{padding:4px 5px}
#trade-table th:first-child,#trade-table td:first-child{padding-left:0}
#trade-table th button{border:0;background:none;padding:0;color:inherit;white-space:nowrap}
#trade-table th[aria-sort] button{color:var(--text);font-weight:600}
#trade-table tbody tr{cursor:pointer;background:var(--surface)}
#trade-table tbody tr:hover{background:color-mix(in srgb,var(--accent) 6%,var(--surface))}
#trade-table tbody th{background:inherit;text-align:left}
#trade-table tbody tr[aria-selected=true]{background:color-mix(in srgb,var(--accent) 14%,var(--surface))}
#trade-table tbody tr:focus-visible{outline-offset:-2px}
.pages{margin:12px 0 0;justify-content:flex-end;font-size:12px}
.pages span{display:flex;gap:8px;align-items:center}
.command{margin:8px 0 16px;display:flex;gap:8px;align-items:flex-start;flex-wrap:wrap}
.command code{background:var(--page);border:1px solid var(--line);border-radius:6px;padding:4px 8px;overflow-wrap:anywhere}`;

/** Text as typed, details, footer, the tip, dialogs and drawings. */
const DETAILS = `pre{background:var(--page);border:1px solid var(--line);border-radius:6px;padding:12px;overflow-x:auto;margin:8px 0 0}
details{margin-top:16px}
summary{cursor:pointer;font-weight:600}
footer{font-size:12px;margin-top:16px}
#tip{position:absolute;z-index:9;max-width:320px;background:var(--surface);color:var(--text);border:1px solid var(--line);border-radius:6px;padding:8px 12px;
font-size:12px;box-shadow:0 4px 16px rgb(0 0 0/.16);pointer-events:none}
dialog{border:1px solid var(--line);border-radius:6px;background:var(--surface);color:var(--text);max-width:480px;width:calc(100% - 32px);padding:24px}
dialog h2{margin-bottom:12px}
dialog form{margin-top:16px;text-align:right}
dialog::backdrop{background:rgb(0 0 0/.4)}
svg text{fill:var(--muted);font-size:11px;font-family:inherit}
svg .axis{stroke:var(--line);stroke-width:1}
svg .zero{stroke:var(--muted);stroke-width:1}`;

/** Narrow screens. */
const NARROW = `@media (max-width:1100px){.cards{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media (max-width:700px){
main{padding:16px 12px 32px}
.head{grid-template-columns:minmax(0,1fr)}
.stamp{text-align:left}
.cards{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.card{padding:12px}
.card .value{font-size:16px}
section[id]{padding:12px}
.grid,.figures{grid-template-columns:minmax(0,1fr)}
.figures>div+div{margin-top:16px}
.bar .ranges,.bar .filters{margin-left:0}
.chart{height:360px}
.read span{white-space:normal}
.wide{display:none}
}`;

/** Print on A4, and motion. */
const PRINT = `:root[data-print] main{width:700px;padding:0}
svg,canvas{max-width:100%}
@media print{
@page{size:A4;margin:12mm}
body{background:#fff;font-size:12px}
main{max-width:none;padding:0}
.tools,.ranges,.filters,.switch,.pages,.command button,.stamp button,#tip,dialog{display:none!important}
.cards{grid-template-columns:repeat(6,minmax(0,1fr));gap:6px}
.card{padding:8px}
.card .value{font-size:14px}
section[id],.card{break-inside:avoid}
section#trades,section#figures,section#provenance{break-inside:auto}
tr,figure,dl>div{break-inside:avoid}
.grid,.figures{grid-template-columns:repeat(2,minmax(0,1fr))}
.scroll{overflow:visible}
th,td,.week td{padding:2px 3px;font-size:9px}
.wide{display:none}
}
@media (prefers-reduced-motion:no-preference){button,.chip,.card{transition:border-color .12s}}`;

/** The style sheet of all pages. */
export const STYLE = [
  '',
  COLORS,
  TEXT_STYLE,
  CONTROLS,
  HEAD_STYLE,
  CARDS,
  SECTIONS,
  CHARTS,
  TABLES,
  LISTS,
  TRADE_TABLE,
  DETAILS,
  NARROW,
  PRINT,
  '',
].join('\n');
