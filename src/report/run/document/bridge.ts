// Draws the cost bridge of the report: from the gross profit of the signals, cost by cost, to the net profit.

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import type { CostBridge } from '../../metrics/costBridge.ts';
import type { Summary } from '../../summary/summary.ts';
import { breakEvenRows } from '../../terminal/breakEvenTable.ts';
import { htmlTable } from '../../page/lists.ts';
import { html, type Markup } from '../../page/markup.ts';
import { signedAmount, tone } from '../../../base/text/format.ts';

/** The amounts of the bridge in order, with their names on the page. */
const BRIDGE_STEPS: readonly { readonly key: keyof CostBridge; readonly name: string }[] = [
  { key: 'grossSignalPnl', name: 'signals' },
  { key: 'spreadSlippage', name: 'spread, slippage' },
  { key: 'fees', name: 'fees' },
  { key: 'funding', name: 'funding' },
  { key: 'liquidationLoss', name: 'liquidation' },
  { key: 'netPnl', name: 'net' },
];

/** The steps that are totals. All others are costs. */
const TOTALS: ReadonlySet<keyof CostBridge> = new Set(['grossSignalPnl', 'netPnl']);

/** One bar for each step: its start and its length, both in percent of the width. */
interface CostStep {
  readonly name: string;
  readonly amount: number;
  readonly left: number;
  readonly width: number;
  readonly isTotal: boolean;
}

/** Returns the steps of the bridge. Totals start at 0, and each cost starts where the step before it ends. */
function stepsOf(costs: CostBridge): readonly CostStep[] {
  const amounts: { readonly from: number; readonly to: number; readonly key: keyof CostBridge; readonly name: string }[] = [];
  let position = 0;
  for (const { key, name } of BRIDGE_STEPS) {
    const amount = Number(costs[key]);
    const isTotal = TOTALS.has(key);
    // A cost of zero is left out.
    if (!isTotal && amount === 0) continue;
    const from = isTotal ? 0 : position;
    position = from + amount;
    amounts.push({ from, to: position, key, name });
  }
  const low = Math.min(0, smallestOf(amounts.map(({ from, to }) => Math.min(from, to))));
  const high = Math.max(0, largestOf(amounts.map(({ from, to }) => Math.max(from, to))));
  const percentOf = (value: number) => (high === low ? 0 : (value / (high - low)) * 100);
  return amounts.map(({ from, to, key, name }) => ({
    name,
    amount: to - from,
    left: percentOf(Math.min(from, to) - low),
    width: percentOf(Math.abs(to - from)),
    isTotal: TOTALS.has(key),
  }));
}

/** Returns the break-even as a table under a heading. Empty for a run without it. */
export function breakEvenTable({ breakEven, run }: Summary): Markup {
  if (breakEven === undefined) return html``;
  const rows = breakEvenRows(breakEven, run.reportingAsset);
  return html`<h3 id="break-even">No profit is left from</h3>
    ${htmlTable(
      ['cost', 'from', 'this run', 'net profit'],
      rows.map(({ label, value, own, remark }) => [label, value, own, remark]),
      'Break-even',
      [3],
    )}`;
}

/** Returns the bridge as HTML. Every amount is also written beside its name, so the bars are not needed to read it. */
export function bridge(costs: CostBridge, asset: string): Markup {
  return html`<dl class="bridge">
      ${stepsOf(costs).map(
        ({ name, amount, left, width, isTotal }) =>
          html`<div>
            <dt>${name}</dt>
            <dd class="${amount < 0 || isTotal ? tone(amount) : ''}">${signedAmount(amount, asset)}</dd>
            <span class="track" aria-hidden="true"
              ><i
                class="${amount < 0 ? 'down' : 'up'}${isTotal ? ' total' : ''}"
                style="left:${left.toFixed(2)}%;width:${width.toFixed(2)}%"
              ></i
            ></span>
          </div>`,
      )}
    </dl>
    <p class="caption">
      In ${asset}. Signals: every fill at the price at which it was decided, without costs. Bars do not separate spread, slippage and
      latency apart.
    </p>`;
}
