// Journals what the account must hold: after each comparison that agrees, and when the operator accepts a difference.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { HoldingBook, HoldingChange, PositionBook } from '../order/expectedHoldings.ts';
import type { RestExchangeDeps } from '../calls/types.ts';

/** What the totals take. */
export interface NotedTotalsDeps {
  readonly notes: RestExchangeDeps['notes'] | null;
  readonly instruments: readonly Instrument[];
  /** Indices of this market's instruments. */
  readonly ownInstruments: readonly number[];
  readonly holdings: HoldingBook;
  readonly positions: PositionBook;
  /** Returns the id of the newest trade that the expected holdings include, '0' before the first; null while they may lack an older one. */
  readonly countedUpTo: (index: number) => string | null;
  /** True if the side of every trade of the instrument is known, so that its position includes all of them. */
  readonly hasCountedAll: (index: number) => boolean;
}

/** The channel of the total of an asset. */
const TOTAL = 'total';
/** The channel of the net lots of an instrument. */
const POSITION = 'position';
/** The channel of the long lots of an instrument in two-way mode. Its short lots are net minus long. */
const LONG = 'long';
type TotalChannel = typeof TOTAL | typeof POSITION | typeof LONG;
const CHANNELS: readonly TotalChannel[] = [TOTAL, POSITION, LONG];
/** The channel of the cursor that ends a group of totals. */
const NOTED = 'noted';

/** The totals as the journal has them. A restart counts the trades that are newer than them. */
export class NotedTotals {
  readonly #deps: NotedTotalsDeps;
  /** The journalled totals, by symbol and channel. */
  readonly #noted = new Map<string, Decimal>();

  constructor(deps: NotedTotalsDeps) {
    this.#deps = deps;
  }

  /** Restores the totals from the cursors of an earlier run, by symbol and channel. */
  restore(cursors: ReadonlyMap<string, string>): void {
    for (const [key, value] of cursors)
      if (CHANNELS.some((channel) => key.endsWith(` ${channel}`))) this.#noted.set(key, new Decimal(value));
  }

  /**
   * Journals the totals, and the newest trade that they include, because the holdings agree with them. Another reader may have counted a trade
   * that it has not booked yet. While it lacks an older trade, neither the totals of its instrument nor those of the assets are journalled.
   */
  journalTotals(): void {
    const { notes, instruments, ownInstruments, holdings, positions, countedUpTo, hasCountedAll } = this.#deps;
    if (!notes) return;
    if (holdings.isSet && ownInstruments.some((index) => countedUpTo(index) === null)) return;
    for (const [asset, total] of holdings.entries()) this.#write(asset, TOTAL, new Decimal(total));
    for (const index of ownInstruments) {
      // The position and its newest trade are noted together, once the side of every trade is known.
      const counted = countedUpTo(index);
      if (counted === null || !hasCountedAll(index)) continue;
      const net = positions.netLotsOf(index);
      const long = positions.lotsOf(index, 'long');
      const symbol = instruments[index]!.id;
      if (net !== null) this.#write(symbol, POSITION, net);
      if (long !== null) this.#write(symbol, LONG, long);
      notes.cursor({ symbol, channel: 'counted', value: counted });
    }
    this.#endGroup();
  }

  /**
   * Journals that the operator has accepted these differences, so that a restart expects them too. The trades since the noted totals stay
   * uncounted: no comparison has proven yet that they are complete.
   */
  acceptAssets(changes: readonly HoldingChange[]): void {
    for (const [asset, difference] of changes) this.#addToTotal(asset, TOTAL, difference);
    this.#endGroup();
  }
  /** Journals accepted differences of an instrument, named by the part of its position (`PositionPart`), in lots. */
  acceptLots(index: number, changes: readonly HoldingChange[]): void {
    const symbol = this.#deps.instruments[index]!.id;
    for (const [part, difference] of changes) {
      // A journal without long lots is restored with all lots on one side.
      if (part !== 'lots') this.#write(symbol, LONG, this.#longOf(symbol).plus(part === 'long' ? difference : 0));
      this.#addToTotal(symbol, POSITION, difference);
    }
    this.#endGroup();
  }

  #longOf(symbol: string): Decimal {
    return this.#noted.get(`${symbol} ${LONG}`) ?? Decimal.max(this.#noted.get(`${symbol} ${POSITION}`) ?? 0, 0);
  }

  #addToTotal(symbol: string, channel: TotalChannel, difference: Decimal): void {
    this.#write(symbol, channel, difference.plus(this.#noted.get(`${symbol} ${channel}`) ?? 0));
  }
  #write(symbol: string, channel: TotalChannel, total: Decimal): void {
    this.#noted.set(`${symbol} ${channel}`, total);
    this.#deps.notes?.cursor({ symbol, channel, value: total.toFixed() });
  }
  /** The process may end in the middle of a group. Without this last cursor, a restart ignores the whole group. */
  #endGroup(): void {
    this.#deps.notes?.cursor({ symbol: 'totals', channel: NOTED, value: '' });
  }
}
