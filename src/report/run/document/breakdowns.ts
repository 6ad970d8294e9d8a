// Writes the tables of trades by group: symbol, side, tag, exit reason, holding time, hour. A click on a row filters the table of trades.

import { largestOf } from '../../../base/number/extremes.ts';
import { amountText, wholeText, fixed, NO_VALUE, percent, signedAmount, tone } from '../../../base/text/format.ts';
import { html, type Markup } from '../../page/markup.ts';
import type { Summary } from '../../summary/summary.ts';
import { tradeGroups, type TradeGroup, type TradeGroups } from '../../words/groups.ts';

/** Returns the breakdowns as HTML. Empty without a trade. */
export function breakdowns(summary: Summary): Markup {
  const asset = summary.run.reportingAsset;
  const breakdownList = tradeGroups(summary);
  if (breakdownList.length === 0) return html``;
  return html`<section id="breakdowns">
    <h2>What made the result</h2>
    <div class="columns">${breakdownList.map((groups) => groupTable(groups, asset))}</div>
    <p class="caption">Net results of trades, in ${asset}. A click on a row shows its trades alone.</p>
  </section>`;
}

/** Returns the table of one breakdown. */
function groupTable({ by, name, groups }: TradeGroups, asset: string): Markup {
  const results = groups.map(({ closedPnl }) => Number(closedPnl));
  const maxSize = Math.max(1e-12, largestOf(results.map(Math.abs)));
  return html`<div>
    <h3>By ${name}</h3>
    <div class="scroll">
      <table class="plain groups" aria-label="Trades by ${name}">
        <thead>
          <tr>
            <th scope="col"><span class="sr">${name}</span></th>
            <th scope="col">trades</th>
            <th scope="col">won, %</th>
            <th scope="col">result</th>
            <th scope="col" class="wide"><span class="sr">share of the largest result</span></th>
            <th scope="col">average</th>
            <th scope="col" class="wide">profit factor</th>
          </tr>
        </thead>
        <tbody>
          ${groups.map((group, index) => groupRow(by, group, { asset, share: results[index]! / maxSize }))}
        </tbody>
      </table>
    </div>
  </div>`;
}

/** Returns one row. `share` is the result as a share of the largest result of the table, from -1 to 1. */
function groupRow(by: string, group: TradeGroup, { asset, share }: { readonly asset: string; readonly share: number }): Markup {
  const { key, isOpen, trades, winRate, closedPnl, averageTrade, profitFactor } = group;
  const result = Number(closedPnl);
  const width = (Math.abs(share) * 50).toFixed(1);
  const left = (share < 0 ? 50 - Math.abs(share) * 50 : 50).toFixed(1);
  const label = key === '' ? 'without a tag' : key;
  const name = isOpen
    ? html`${label} <span class="muted">(still open)</span>`
    : html`<button type="button" data-by="${by}" data-key="${key}">${label}</button>`;
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${wholeText(trades)}</td>
    <td>${winRate === null ? NO_VALUE : percent(winRate, 1).replace(/\s?%/, '')}</td>
    <td class="${tone(result)}" title="${closedPnl}">${signedAmount(result, asset)}</td>
    <td class="track wide" aria-hidden="true"><i class="${share < 0 ? 'down' : 'up'}" style="left:${left}%;width:${width}%"></i></td>
    <td>${averageTrade === null ? NO_VALUE : amountText(Number(averageTrade), asset)}</td>
    <td class="wide">${profitFactor === null ? NO_VALUE : fixed(profitFactor, 2)}</td>
  </tr>`;
}
