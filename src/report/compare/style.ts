// Additional CSS of the comparison page: two runs side by side, each in its own colour.

/** The style sheet of the comparison, in addition to that of all pages. */
export const COMPARE_STYLE = `
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px;margin-top:16px}
.run{background:var(--surface);border:1px solid var(--line);border-top:3px solid;border-radius:6px;padding:12px 16px;min-width:0}
.run.a{border-top-color:var(--accent)}.run.b{border-top-color:var(--bench)}
.run h2{display:flex;align-items:baseline;gap:8px;overflow-wrap:anywhere}
.run .of{margin-left:8px}
#curves .read{flex-basis:100%;order:1}
.run p{font-size:12px;margin-top:4px;overflow-wrap:anywhere}
.letter{display:inline-block;font-size:12px;font-weight:600;min-width:20px;text-align:center;border-radius:4px;padding:0 4px;color:var(--page)}
.letter.a,.letter.both{background:var(--accent)}.letter.b{background:var(--bench)}
.card .two{display:grid;grid-template-columns:auto minmax(0,1fr);gap:2px 8px;align-items:baseline}
.card .two .value{font-size:16px;text-align:right}
.card .diff{font-size:12px;border-top:1px solid var(--line);padding-top:6px;margin-top:4px;display:flex;justify-content:space-between;gap:8px}
.card .diff>*{white-space:nowrap}
#figures-table td{width:18%}
#figures-table .head th{padding-top:16px;color:var(--muted);font-weight:600;position:static;border-top:0}
td.same{color:var(--muted)}
.first td.differs{font-weight:600;background:var(--warn-bg);color:var(--warn)}
.lead{margin-bottom:8px}
#differs th,#differs td{white-space:normal;overflow-wrap:anywhere}
#differs td{width:30%}
#differs td.t{width:12%}
@media print{
.pair,.cards{gap:6px;break-inside:avoid}
.cards{grid-template-columns:repeat(3,minmax(0,1fr))}
.run{padding:8px}
.run button{display:none}
.run,.letter{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
@media (max-width:700px){
.pair{grid-template-columns:minmax(0,1fr);gap:8px}
.card .two .value{font-size:14px}
#figures-table th,#figures-table td{padding:4px 5px;width:auto}
}
`;
