// The CSS of the dashboard: the styles of the report, and additions for live data.

import { STYLE } from '../../../report/page/style.ts';

/** CSS. */
export const DASHBOARD_STYLE = `${STYLE}
[hidden]{display:none!important}
.mono{font-family:ui-monospace,'SF Mono',SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
header{position:sticky;top:0;z-index:5;background:var(--surface);border-bottom:1px solid var(--line);border-top:4px solid var(--muted)}
header .inner{max-width:1280px;margin:0 auto;padding:12px 24px;display:flex;gap:8px 16px;align-items:center;justify-content:space-between}
header .word{min-width:0;overflow-wrap:anywhere}
header strong{font-size:22px;line-height:1.2;margin-right:8px}
header[data-state=RUN]{border-top-color:var(--gain)}header[data-state=RUN] strong{color:var(--gain)}
header[data-state=HALT_NEW]{border-top-color:var(--warn);background:var(--warn-bg)}header[data-state=HALT_NEW] strong{color:var(--warn)}
header[data-state=CANCEL_ONLY]{border-top-color:var(--warn);background:var(--warn-bg)}header[data-state=CANCEL_ONLY] strong{color:var(--warn)}
header[data-state=KILLED]{border-top-color:var(--loss)}header[data-state=KILLED] strong{color:var(--loss)}
.acts{display:flex;gap:8px;flex:none}
.acts button{font-size:14px;padding:6px 14px}
#kill,#act-yes.danger{color:var(--surface);background:var(--loss);border-color:var(--loss)}
#kill:disabled{background:none;color:var(--muted);border-color:var(--line)}
#gone{background:var(--warn-bg);color:var(--warn);text-align:center;padding:8px 16px;font-weight:600}
body.stale #board,body.stale header .word{filter:grayscale(1);opacity:.45}
main{padding-top:16px}
.head{align-items:center;gap:8px 16px}
#board>section,#board>.grid{margin-top:12px}
.grid{gap:12px}.grid>section{margin-top:0!important;min-width:0}
#cards{grid-template-columns:repeat(auto-fit,minmax(170px,1fr))}
#theme{justify-self:end}
.card .sub.gain{color:var(--gain)}.card .sub.loss{color:var(--loss)}
.amber-edge{border-color:var(--warn)!important}
.live-chart{height:280px}
#plots{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12px}#plots:not(:empty){margin-top:8px}
#plots .sample{display:inline-block;width:14px;height:2px;margin-right:6px;vertical-align:middle}
.bar{margin-bottom:8px;min-height:26px}
#last{margin-left:auto;font-size:16px}
.limit{margin-top:12px}.limit:first-child{margin-top:0}
.limit div{display:flex;justify-content:space-between;gap:12px;font-size:12px;margin-bottom:4px}
.limit div{flex-wrap:wrap}.limit .mono{margin-left:auto}
meter{appearance:none;-webkit-appearance:none;display:block;width:100%;height:8px;border:0;border-radius:4px;background:var(--line)}
meter::-webkit-meter-inner-element{display:block;height:8px}
meter::-webkit-meter-bar{background:var(--line);border:0;border-radius:4px;height:8px}
meter::-webkit-meter-optimum-value{background:var(--accent);border-radius:4px}
meter::-webkit-meter-suboptimum-value{background:var(--warn);border-radius:4px}
meter::-webkit-meter-even-less-good-value{background:var(--loss);border-radius:4px}
meter::-moz-meter-bar{background:var(--accent);border-radius:4px}
.check{display:flex;gap:8px;align-items:center}
.checks .row{display:grid;grid-template-columns:1fr auto;gap:2px 12px;padding:6px 0;border-top:1px solid var(--line);font-size:12px}
.checks .row:first-child{border-top:0;padding-top:0}
.checks .row .mono{text-align:right}
.checks .row.bad .mono{color:var(--warn);font-weight:600}
.item{border-top:1px solid var(--line);padding:8px 0;font-size:12px;display:flex;gap:8px 16px;justify-content:space-between;align-items:flex-start;flex-wrap:wrap}
.item:first-child{border-top:0;padding-top:0}.item:last-child{padding-bottom:0}
.item p{min-width:0;flex:1 1 320px;overflow-wrap:anywhere}
.item .acts button{font-size:12px;padding:3px 8px}
#decision-list{list-style:none;margin:0;padding:0;max-height:360px;overflow-y:auto}
#decision-list li{display:grid;grid-template-columns:5.5em 1fr;gap:0 12px;padding:4px 0;border-top:1px solid var(--line);font-size:12px}
#decision-list li:first-child{border-top:0}
#decision-list li p{overflow-wrap:anywhere}
#decision-list li p.empty{grid-column:1/-1}
#decision-list li.warn p,#decision-list li.error p{color:var(--warn)}
.empty{color:var(--muted);font-size:12px}
td.t,th.t{text-align:left}
#login{max-width:420px;margin:48px auto;background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:24px}
#login p{margin-top:8px}
.line{display:flex;gap:8px;margin-top:16px}
input[type=text],input[type=password]{font:inherit;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:6px 8px;width:100%;min-width:0}
.field{display:block;margin-top:12px;font-size:12px}.field input{margin-top:4px;font-size:14px}
dialog .check{margin-top:12px;font-size:14px}
dialog p+p{margin-top:8px}
.buttons{margin-top:16px;display:flex;gap:8px;justify-content:flex-end}
.buttons button{font-size:14px;padding:6px 14px}
@media (max-width:900px){.grid{grid-template-columns:minmax(0,1fr)}}
@media (max-width:700px){
header .inner{padding:8px 12px;flex-wrap:wrap}
header strong{font-size:16px}
header .word{font-size:12px}
.acts{margin-left:auto}
.live-chart{height:220px}
#cards{grid-template-columns:repeat(2,minmax(0,1fr))}
#cards .card:first-child:nth-last-child(odd){grid-column:1/3}
#cards .card:first-child .value{font-size:22px}
}
`;
