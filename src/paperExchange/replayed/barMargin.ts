// Futures in bar markets: positions are judged by the worst mark of a row that endangers one of them, and funding is paid when due.

import type { VenuePosition } from '../../venue/futures/position.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import type { BarMarket } from './barMarket.ts';
import type { RowFunding } from './barSeries.ts';

interface Due {
  readonly market: BarMarket;
  readonly funding: RowFunding;
}

export class BarMargin {
  readonly #exchange: FuturesExchange;
  /** Markets by index of the contract. */
  readonly #barMarkets = new Map<number, BarMarket>();
  #due: Due[] = [];

  constructor(exchange: FuturesExchange, barMarkets: readonly BarMarket[]) {
    this.#exchange = exchange;
    for (const barMarket of barMarkets) this.#barMarkets.set(barMarket.book.index, barMarket);
    for (const { market, series } of barMarkets) exchange.venue.setMark(market.instrument, series.startTicks);
  }

  /** Settles all rows that close at `timeMs`. They are matched; `closing` are their markets, each still at that row. */
  settle(closing: readonly BarMarket[], timeMs: number): void {
    const { venue } = this.#exchange;
    const rows = closing.filter((barMarket) => this.#barMarkets.get(barMarket.book.index) === barMarket);
    if (this.#isAnyoneInDanger(rows)) {
      for (const { market, series, row } of rows) {
        const { open, high, low, close } = series.marks;
        venue.markRow(market.instrument, open[row]!, high[row]!, low[row]!, close[row]!);
      }
      this.#exchange.settleMarks(timeMs);
    } else for (const { market, series, row } of rows) venue.setMark(market.instrument, series.marks.close[row]!);
  }

  /** Queues funding that is due now. Fills at this same time count: they have already opened or closed the position. */
  queueFunding(barMarket: BarMarket, funding: RowFunding): void {
    this.#due.push({ market: barMarket, funding });
  }
  pay(): void {
    const due = this.#due;
    this.#due = [];
    for (const { market: barMarket, funding } of due) {
      this.#exchange.venue.fund(barMarket.market.instrument, funding.markTicks, funding.rate, funding.timeMs);
    }
  }

  /** Cross positions share their margin, so an account with several of them is checked at every row. */
  #isAnyoneInDanger(closing: readonly BarMarket[]): boolean {
    const { wallets } = this.#exchange.venue;
    return wallets.accounts.some((_, account) => {
      const held = wallets.openPositions(account);
      if (closing.length > 0 && held.filter(({ isCross }) => isCross).length > 1) return true;
      return held.some((position) => this.#isInDanger(position, closing));
    });
  }

  #isInDanger(position: VenuePosition, closing: readonly BarMarket[]): boolean {
    const barMarket = this.#barMarkets.get(position.index);
    if (barMarket === undefined || !closing.includes(barMarket)) return false;
    return this.#exchange.venue.isDue(position, barMarket.series.marksOf(barMarket.row));
  }
}
