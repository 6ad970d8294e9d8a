// The market sections of the control page for one instrument: last price and day, book, trades.

import { largestOf } from '../../../base/number/extremes.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { formatTime } from '../../../model/time.ts';
import type { Side } from '../../../model/order.ts';
import { html, type Markup } from '../../../report/page/markup.ts';
import { exactText, grouped, NO_VALUE, signedPercent } from '../../../base/text/format.ts';
import { wireQuantityText } from '../../handlers/reads.ts';
import type { TradedMarket } from '../../market/tradedMarket.ts';

/** Number of levels of each side, and of trades, shown. */
const MAX_LEVELS = 16;
const MAX_TRADES = 16;

/** Returns the time of day, such as `14:05:09`, UTC. */
export const timeOfDayText = (ms: number): string => formatTime(ms).slice(11, 19);
/** Returns a price or quantity with all digits of the instrument, so that columns align. */
export const priceOf = ({ priceDigits }: Instrument, ticks: number): string => exactText(ticks, priceDigits, priceDigits);
/** Returns a quantity as a decimal text with all decimals of the instrument. */
export const quantityOf = ({ quantityDigits }: Instrument, lots: number): string => exactText(lots, quantityDigits, quantityDigits);
/** Returns the unit of the instrument's quantities. */
export const unitOf = ({ instrument: { market, base } }: TradedMarket): string => (market === 'spot' ? base : 'contracts');
/** Returns a table row with the reason why there are no rows. */
export const emptyRow = (columns: number, text: string): Markup =>
  html`<tr class="empty">
    <td colspan="${columns}">${text}</td>
  </tr>`;

/** Returns the last price, and high, low and volume of the last 24 hours. */
export function priceCards(market: TradedMarket, nowMs: number): Markup {
  const { instrument, tape } = market;
  const day = tape.klines.rollingDay(nowMs);
  const price = (ticks: number | undefined): string => (ticks === undefined ? NO_VALUE : priceOf(instrument, ticks));
  const change = day === null ? NaN : day.last / day.open - 1;
  let tone = '';
  if (change > 0) tone = 'gain';
  else if (change < 0) tone = 'loss';
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

/** Returns both sides of the order book, best level first. */
export function bookSection(market: TradedMarket): Markup {
  const levels = { buy: market.matcher.book.levels('buy', MAX_LEVELS), sell: market.matcher.book.levels('sell', MAX_LEVELS) };
  const max = Math.max(1, largestOf([...levels.buy.map(({ lots }) => lots), ...levels.sell.map(({ lots }) => lots)]));
  const { instrument } = market;
  const sideTable = (side: Side): Markup =>
    html`<table>
      <thead>
        <tr>
          <th class="left">${side === 'buy' ? 'Bid' : 'Ask'}, ${instrument.quote}</th>
          <th>${unitOf(market)}</th>
        </tr>
      </thead>
      <tbody class="${side === 'buy' ? 'gain' : 'loss'}">
        ${levels[side].length === 0 ? emptyRow(2, 'no orders') : null}
        ${levels[side].map(
          ({ price, lots }) =>
            html`<tr>
              <td class="left">${priceOf(instrument, price)}</td>
              <td>${depthBar(lots / max)}<span>${quantityOf(instrument, lots)}</span></td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  return html`<section id="book">
    <h2>Order book</h2>
    <div class="book" id="book-live" data-live>${sideTable('buy')} ${sideTable('sell')}</div>
  </section>`;
}

/** Returns a bar for a level's share of the largest level shown. */
const depthBar = (share: number): Markup =>
  html`<svg class="depth" aria-hidden="true">
    <rect x="${(100 - share * 100).toFixed(1)}%" width="${(share * 100).toFixed(1)}%" height="100%" />
  </svg>`;

/** Returns the latest trades, newest first. */
export function tradesSection(market: TradedMarket): Markup {
  const { instrument } = market;
  const latest = market.tape.latest(MAX_TRADES);
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
              <td>${timeOfDayText(timeMs)}</td>
              <td class="left">${sideText(takerSide)}</td>
              <td>${priceOf(instrument, price)}</td>
              <td>${quantityOf(instrument, lots)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** Returns a side as word, colour and arrow. */
export const sideText = (side: Side): Markup =>
  side === 'buy' ? html`<span class="gain">▲ buy</span>` : html`<span class="loss">▼ sell</span>`;
