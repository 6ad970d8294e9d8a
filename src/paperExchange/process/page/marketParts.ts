// The market sections of the control page for one instrument: last price and day, book, trades.

import type { Instrument } from '../../../model/instrument.ts';
import { formatTime } from '../../../model/time.ts';
import type { Side } from '../../../model/order.ts';
import { html, type Markup } from '../../../report/page/markup.ts';
import { exactText, grouped, NONE, signedPercent } from '../../../base/text/format.ts';
import { wireQuantityText } from '../../handlers/reads.ts';
import type { TradedMarket } from '../../market/tradedMarket.ts';

const LEVELS = 16;
const TRADES = 16;

/** `14:05:09`, UTC. */
export const secondText = (ms: number): string => formatTime(ms).slice(11, 19);
/** All digits of the instrument are shown, so that columns align. */
export const priceOf = ({ priceDigits }: Instrument, ticks: number): string => exactText(ticks, priceDigits, priceDigits);
export const quantityOf = ({ quantityDigits }: Instrument, lots: number): string => exactText(lots, quantityDigits, quantityDigits);
/** Returns the unit of the instrument's quantities. */
export const unitOf = ({ instrument: { market, base } }: TradedMarket): string => (market === 'spot' ? base : 'contracts');
export const emptyRow = (columns: number, what: string): Markup =>
  html`<tr class="empty">
    <td colspan="${columns}">${what}</td>
  </tr>`;

export function cards(market: TradedMarket, nowMs: number): Markup {
  const { instrument, tape } = market;
  const day = tape.klines.day(nowMs);
  const price = (ticks: number | undefined): string => (ticks === undefined ? NONE : priceOf(instrument, ticks));
  const change = day === null ? NaN : day.last / day.open - 1;
  const tone = change > 0 ? 'gain' : change < 0 ? 'loss' : '';
  const rows: readonly (readonly [label: string, value: string, sub: Markup | string])[] = [
    ['Last price', price(day?.last), html`<span class="${tone}">${signedPercent(change)}</span> in 24 h`],
    ['High', price(day?.high), '24 h'],
    ['Low', price(day?.low), '24 h'],
    ['Volume', grouped(wireQuantityText(instrument, day?.lots ?? 0)), `${unitOf(market)}, 24 h`],
  ];
  return html`<div class="cards" id="day" data-live>
    ${rows.map(
      ([label, value, sub]) =>
        html`<div class="card"><span class="label">${label}</span><span class="value">${value}</span><span class="sub">${sub}</span></div>`,
    )}
  </div>`;
}

export function book(market: TradedMarket): Markup {
  const levels = { buy: market.matcher.book.levels('buy', LEVELS), sell: market.matcher.book.levels('sell', LEVELS) };
  const max = Math.max(1, ...levels.buy.map(({ lots }) => lots), ...levels.sell.map(({ lots }) => lots));
  const { instrument } = market;
  const side = (of: Side): Markup =>
    html`<table>
      <thead>
        <tr>
          <th class="left">${of === 'buy' ? 'Bid' : 'Ask'}, ${instrument.quote}</th>
          <th>${unitOf(market)}</th>
        </tr>
      </thead>
      <tbody class="${of === 'buy' ? 'gain' : 'loss'}">
        ${levels[of].length === 0 ? emptyRow(2, 'no orders') : null}
        ${levels[of].map(
          ({ price, lots }) =>
            html`<tr>
              <td class="left">${priceOf(instrument, price)}</td>
              <td>${bar(lots / max)}<span>${quantityOf(instrument, lots)}</span></td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  return html`<section id="book">
    <h2>Order book</h2>
    <div class="book" id="book-live" data-live>${side('buy')} ${side('sell')}</div>
  </section>`;
}

/** Returns a bar for a level's share of the largest level shown. */
const bar = (share: number): Markup =>
  html`<svg class="depth" aria-hidden="true">
    <rect x="${(100 - share * 100).toFixed(1)}%" width="${(share * 100).toFixed(1)}%" height="100%" />
  </svg>`;

export function trades(market: TradedMarket): Markup {
  const { instrument } = market;
  const latest = market.tape.latest(TRADES);
  return html`<section id="trades-of">
    <h2>Trades</h2>
    <table>
      <thead>
        <tr>
          <th>Time, UTC</th>
          <th class="left">Taker</th>
          <th>Price, ${instrument.quote}</th>
          <th>${unitOf(market)}</th>
        </tr>
      </thead>
      <tbody id="trades-live" data-live>
        ${latest.length === 0 ? emptyRow(4, 'no trades yet') : null}
        ${latest.map(
          ({ timeMs, takerSide, price, lots }) =>
            html`<tr>
              <td>${secondText(timeMs)}</td>
              <td class="left">${sideText(takerSide)}</td>
              <td>${priceOf(instrument, price)}</td>
              <td>${quantityOf(instrument, lots)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** Shown by word, colour and arrow. */
export const sideText = (side: Side): Markup =>
  side === 'buy' ? html`<span class="gain">▲ buy</span>` : html`<span class="loss">▼ sell</span>`;
