// Writes the comparison page: one HTML file that shows two runs side by side and needs no network.

import { writeFile } from 'node:fs/promises';
import { pageScript, plotCode } from '../page/pageCode.ts';
import { html, scriptJson, scriptElement } from '../page/markup.ts';
import { exactStep, Pack, maxAbsoluteOf } from '../page/pack.ts';
import { keyList, packedScripts, scopedScript, shell } from '../page/shell.ts';
import { STYLE } from '../page/style.ts';
import type { RunComparison } from './comparison.ts';
import { curvesOf, type Curve, type Curves } from './curves.ts';
import type { ComparePage, WireCurve } from './page/wire.ts';
import { comparisonCards, comparisonCurves, comparisonHead, stepText, comparisonTitle, comparisonTrustStrip } from './sections.ts';
import { comparedFigures, fillSection, comparisonMonths, comparisonProvenance, whatDiffers } from './tables.ts';
import { COMPARE_STYLE } from './style.ts';

/** What the page shows. */
export interface CompareReportInput {
  readonly comparison: RunComparison;
  /** Version of isobar that writes the page. */
  readonly version: string;
  /** Writing time in ms UTC. Null omits it from the page. */
  readonly writtenMs: number | null;
}

/** Decimal digits of the curves, as fractions of the start: 0.0001 %. */
const CURVE_DIGITS = 6;

/** Writes the page to `path` and replaces an existing file. Rejects with the system error when writing fails. */
export async function writeCompareReport(input: CompareReportInput, path: string): Promise<void> {
  await writeFile(path, await compareReportText(input));
}

/** Returns the text of the page. */
export async function compareReportText({ comparison, version, writtenMs }: CompareReportInput): Promise<string> {
  const sampled = curvesOf(comparison.a, comparison.b);
  const pack = new Pack();
  const page = pageOf(comparison, sampled, pack);
  const columns = await pack.finish();
  const code = plotCode();
  return shell({
    title: `${comparisonTitle(comparison)} · isobar comparison`,
    version,
    style: `${code.plotStyle}${STYLE}${COMPARE_STYLE}`,
    content: html`${comparisonHead(comparison, version, writtenMs)} ${comparisonTrustStrip(comparison)} ${comparisonCards(comparison)}
      ${comparisonCurves(stepText(sampled.stepMs))}
      <section id="differs">
        <h2>What differs</h2>
        ${whatDiffers(comparison)}
      </section>
      <section id="first">
        <h2>The first fill that differs</h2>
        ${fillSection(comparison)}
      </section>
      <section id="when">
        <h2>Return by month, B − A</h2>
        ${comparisonMonths(comparison)}
      </section>
      <section id="figures">
        <h2>All figures</h2>
        ${comparedFigures(comparison)}
      </section>
      <section id="provenance">
        <h2>Provenance</h2>
        ${comparisonProvenance(comparison)}
      </section>
      <footer class="muted">Curves: uPlot, MIT.</footer>`,
    afterMain: html`${KEY_LIST}
      <div id="tip" role="tooltip" hidden></div>
      ${scriptElement(scriptJson(page), 'type="application/json" id="page"')} ${scriptElement(code.plotLibrary)}
      ${scopedScript(pageScript('compare/page/main'))} ${packedScripts(columns)}`,
  });
}

/** Returns the data of the page, and adds its columns to `pack`. */
function pageOf({ a, b }: RunComparison, { ms, a: curveA, b: curveB }: Curves, pack: Pack): ComparePage {
  const wire = (name: string, { growth, depth }: Curve): WireCurve => ({
    name,
    growth: pack.addDecimals(growth, exactStep(maxAbsoluteOf(growth), CURVE_DIGITS), 1),
    depth: pack.addDecimals(depth, exactStep(maxAbsoluteOf(depth), CURVE_DIGITS), 1),
  });
  return {
    fromMs: ms[0] ?? 0,
    toMs: ms.at(-1) ?? 0,
    seconds: pack.add(
      ms.map((time) => Math.round(time / 1000)),
      2,
    ),
    a: wire(a.name, curveA),
    b: wire(b.name, curveB),
  };
}

const KEY_LIST = keyList([
  [html`<kbd>?</kbd>`, 'this list'],
  [html`<kbd>t</kbd>`, 'theme: system, light, dark'],
  [html`<kbd>l</kbd>`, 'logarithmic equity'],
  [html`<kbd>+</kbd> <kbd>−</kbd>`, 'zoom'],
  [html`<kbd>←</kbd> <kbd>→</kbd>`, 'move the curves, once they have the focus'],
  [html`<kbd>0</kbd>`, 'the whole time'],
  ['Ctrl + wheel, pinch', 'zoom; the wheel alone once the curves have the focus'],
  ['drag', 'move'],
  [html`<kbd>Esc</kbd>`, 'close, leave the curves'],
]);
