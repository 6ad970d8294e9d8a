// Stops that the bot holds itself, looked at when a bar has closed: the exchange does not know them.

import { pow10 } from '../../../base/number/exact.ts';
import { cancelCollarRemainders } from '../../../orders/collar.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';

/**
 * Row `row` of the execution feed of an instrument has closed, and what filled in it is booked: stops that it has reached go off, as
 * orders at the market, in the order in which a backtest looks at them; then trailing stops follow, and what a market order by quantity
 * has not got by then is taken back.
 */
export function watchRow(engine: Engine, feed: FeedRun, row: number): void {
  const { brackets, bracketManager } = engine;
  const { instrumentIndex: index, instrument, bars } = feed;
  const openMs = bars.openMs[row]!;
  if (brackets.waiting(index) > 0) {
    const scale = pow10(instrument.priceDigits);
    const [open, high, low, close] = [bars.open, bars.high, bars.low, bars.close].map((column) => Math.round(column[row]! * scale));
    // What guards an entry from within the row on has nothing to say of its open.
    brackets.gapped(index, open!, (bracket, price) => void (bracket.armedMs <= openMs && bracketManager.hit(bracket, price)));
    brackets.reached(index, high!, low!, -Infinity, bracketManager.onHit);
    if (brackets.follow(index, high!, low!, openMs)) brackets.followClose(index, close!, openMs);
  }
  cancelCollarRemainders(engine, index, openMs);
}
