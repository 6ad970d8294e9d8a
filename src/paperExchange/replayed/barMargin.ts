// Futures in bar markets: positions are judged by the worst mark of a row that endangers one of them, and funding is paid when due.

import type { VenuePosition } from '../../venue/futures/position.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import type { ReplayedMarket } from './barMarket.ts';
import type { RowFunding } from './barSeries.ts';

/** A funding that waits to be paid. */
interface DueFunding {
  readonly market: ReplayedMarket;
  readonly funding: RowFunding;
}

/** Margin and funding of the contracts of one exchange that replay bars. */
export class BarMargin {
  readonly #exchange: FuturesExchange;
  /** Markets by index of the contract. */
  readonly #barMarkets = new Map<number, ReplayedMarket>();
  #due: DueFunding[] = [];

  constructor(exchange: FuturesExchange, barMarkets: readonly ReplayedMarket[]) {
    this.#exchange = exchange;
    for (const barMarket of barMarkets) this.#barMarkets.set(barMarket.book.index, barMarket);
    for (const { market, series } of barMarkets) exchange.venue.setMark(market.instrument, series.startTicks);
  }

  /** Judges positions by all rows that close at `timeMs`. The rows are matched; `closing` has their markets, each still at that row. */
  judgePositions(closing: readonly ReplayedMarket[], timeMs: number): void {
    const { venue } = this.#exchange;
    const rows = closing.filter((barMarket) => this.#barMarkets.get(barMarket.book.index) === barMarket);
    if (this.#isAnyAccountInDanger(rows)) {
      for (const { market, series, row } of rows) {
        const { open, high, low, close } = series.marks;
        venue.markRow(market.instrument, open[row]!, high[row]!, low[row]!, close[row]!);
      }
      this.#exchange.settleMarks(timeMs);
    } else for (const { market, series, row } of rows) venue.setMark(market.instrument, series.marks.close[row]!);
  }

  /** Queues funding that is due now. Fills at this same time count: they have already opened or closed the position. */
  queueFunding(barMarket: ReplayedMarket, funding: RowFunding): void {
    this.#due.push({ market: barMarket, funding });
  }
  /** Pays all queued funding. */
  payQueuedFunding(): void {
    const dueFunding = this.#due;
    this.#due = [];
    for (const { market: barMarket, funding } of dueFunding) {
      this.#exchange.venue.fund(barMarket.market.instrument, funding.markTicks, funding.rate, funding.timeMs);
    }
  }

  /** True when a closing row may liquidate a position. Cross positions share their margin, so an account with several is always checked. */
  #isAnyAccountInDanger(closing: readonly ReplayedMarket[]): boolean {
    const { wallets } = this.#exchange.venue;
    return wallets.accounts.some((_, account) => {
      const openPositions = wallets.openPositions(account);
      if (closing.length > 0 && openPositions.filter(({ isCross }) => isCross).length > 1) return true;
      return openPositions.some((position) => this.#isInDanger(position, closing));
    });
  }

  /** True when the worst mark of a closing row would liquidate the position. */
  #isInDanger(position: VenuePosition, closing: readonly ReplayedMarket[]): boolean {
    const barMarket = this.#barMarkets.get(position.index);
    if (barMarket === undefined || !closing.includes(barMarket)) return false;
    return this.#exchange.venue.isDue(position, barMarket.series.marksOf(barMarket.row));
  }
}
