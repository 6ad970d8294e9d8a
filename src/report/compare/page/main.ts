// Script of the comparison page: unpacks and draws the curves of both runs.
/// <reference lib="dom" />

import { addCopying, addKeys, addPrinting, addRanges, addScrollCues, addTheme, addTips, addWidths } from '../../page/browser/controls.ts';
import { byId } from '../../page/browser/dom.ts';
import { unpackDecimals, unpackWide } from '../../page/browser/unpack.ts';
import { CurvePlots, type CurveColumns } from './curvePlots.ts';
import type { ComparePage } from './wire.ts';

// The page writer guarantees that the JSON has this type.
const page = JSON.parse(byId('page')?.textContent ?? '{}') as ComparePage;
const root = byId('curve-plots');
let plots: CurvePlots | null = null;

/** Unpacks the columns of both runs. */
async function columnsOf(): Promise<CurveColumns> {
  const seconds = await unpackWide(page.seconds);
  const nullable = (values: Float64Array, factor: number) =>
    Array.from(values, (value) => (Number.isFinite(value) ? value * factor : null));
  const [a, b] = [await unpackDecimals(page.a.growth), await unpackDecimals(page.b.growth)];
  return {
    ms: Array.from(seconds, (second) => second * 1000),
    growth: [nullable(a, 100), nullable(b, 100)],
    depth: [nullable(await unpackDecimals(page.a.depth), 1), nullable(await unpackDecimals(page.b.depth), 1)],
    between: nullable(
      b.map((value, row) => value - (a[row] ?? NaN)),
      1,
    ),
  };
}

/** Draws the page. */
async function start(): Promise<void> {
  if (!root) return;
  plots = new CurvePlots(root, await columnsOf());
  addRanges('curves', plots.timeWindow);
  document.documentElement.dataset['state'] = 'ready';
}

/** Switches the logarithmic axis. */
function toggleLog(): void {
  const box = byId('log');
  if (!(box instanceof HTMLInputElement) || !plots) return;
  const isRequested = !plots.isLog;
  box.checked = plots.setLog(isRequested);
  // Disables the logarithmic axis when it was rejected: an equity of 0 has no logarithm.
  box.disabled = isRequested && !box.checked;
  if (box.disabled) box.title = 'needs an equity above 0 throughout';
}

const theme = addTheme(() => plots?.rebuild());
addTips();
addCopying();
addPrinting(() => plots?.rebuild());
addWidths(() => plots?.rebuild());
addScrollCues();
byId('log')?.addEventListener('change', toggleLog);
addKeys({
  t: theme.next,
  l: toggleLog,
  '+': () => plots?.timeWindow.zoom(1 / 1.5),
  '=': () => plots?.timeWindow.zoom(1 / 1.5),
  '-': () => plots?.timeWindow.zoom(1.5),
  0: () => plots?.timeWindow.show(plots.timeWindow.runStartMs, plots.timeWindow.runEndMs),
});
document.addEventListener('isobar-columns', () => void start());
