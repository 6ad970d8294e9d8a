// From the fills of a run to its trades: closed ones as columns, open ones with their unrealised profit.

import { assert } from '../../base/assert.ts';
import { pow10 } from '../../base/exact.ts';
import { ticksOf, type BarColumns } from '../../model/bars.ts';
import { ROLES, type FillColumns, type RunRecord } from '../../model/run.ts';
import { Scale, valueAt } from '../../portfolio/scale.ts';
import { countUpTo, executionFeeds } from '../metrics/daily.ts';
import { columnsOf, type ClosedTrade, type OpenTrade, type Trades } from './columns.ts';
import { EpisodeBook, type FillAt } from './episode.ts';
import { BarPath } from './excursions.ts';

const made = new WeakMap<RunRecord, Trades>();

/** Made on first demand and kept with the record. */
export function tradesOf(record: RunRecord): Trades {
  let trades = made.get(record);
  if (!trades) made.set(record, (trades = makeTrades(record)));
  return trades;
}

const ROLE = { stopLoss: ROLES.indexOf('stopLoss'), trailing: ROLES.indexOf('trailing'), takeProfit: ROLES.indexOf('takeProfit') };

interface Lane {
  readonly strategy: number;
  readonly instrument: number;
  readonly book: EpisodeBook;
  readonly path: BarPath | null;
}

function makeTrades(record: RunRecord): Trades {
  const { instruments, fills, orders } = record;
  for (const { id, quoteDigits } of instruments) {
    assert(quoteDigits === record.reportingDigits, `${id} counts money in ${quoteDigits} digits, the run in ${record.reportingDigits}`);
  }
  const bars = instruments.map(({ id }) => executionFeeds(record.feeds).find((feed) => feed.bars.instrument.id === id)?.bars ?? null);
  const closed: ClosedTrade[] = [];
  const lanes = new Map<number, Lane>();
  const ticksPerPrice = instruments.map(({ priceDigits }) => pow10(priceDigits));
  for (let row = 0; row < fills.length; row++) {
    const strategy = fills.strategy[row]!;
    const instrument = fills.instrument[row]!;
    const key = strategy * 256 + instrument;
    let lane = lanes.get(key);
    if (!lane) {
      const path = bars[instrument] ? new BarPath(bars[instrument]) : null;
      lane = { strategy, instrument, path, book: new EpisodeBook(strategy, instrument, instruments[instrument]!, path, closed) };
      lanes.set(key, lane);
    }
    const order = fills.orderId[row]! - 1;
    lane.book.book(fillAt(record, row, lane.path, orders.role[order]!, orders.limit[order]!, ticksPerPrice[instrument]!));
  }
  for (const { book } of lanes.values()) book.end();
  closed.sort((a, b) => a.lastFill - b.lastFill);
  const tags = new Tags(record);
  return {
    closed: columnsOf(
      closed,
      (fill) => tags.of(fill),
      (fill) => tags.of(fill),
    ),
    ...openOf(record, [...lanes.values()], bars),
    tags: tags.texts,
    path: bars.every((of) => of !== null) ? 'coarse' : 'not-recorded',
  };
}

function fillAt({ fills }: RunRecord, row: number, path: BarPath | null, role: number, level: number, scale: number): FillAt {
  let bar = -1;
  if (path !== null) {
    const timeMs = fills.timeMs[row]!;
    const ticks = fills.price[row]!;
    // A resting limit fills inside its bar. A stop leg fills at the open after a gap, else at its level inside.
    const isStop = role === ROLE.stopLoss || role === ROLE.trailing;
    const isInside = fills.isMaker[row] === 1 || (isStop && !path.isAtOpen(timeMs, ticks / scale, level / scale));
    bar = path.barOf(timeMs, isInside);
  }
  return bookable(fills, row, bar);
}

function bookable(fills: FillColumns, row: number, bar: number): FillAt {
  return {
    row,
    timeMs: fills.timeMs[row]!,
    ticks: fills.price[row]!,
    bar,
    notional: fills.notional[row]!,
    lots: fills.lots[row]!,
    fee: fills.fee[row]!,
    feeInBase: fills.feeInBase[row] === 1,
    isBuy: fills.side[row] === 0,
  };
}

/** Net results of the closed trades in closing order, in units: `closed.pnlUnits` of `tradesOf` without the way there. */
export function closedPnl({ instruments, fills }: Pick<RunRecord, 'instruments' | 'fills'>): Float64Array {
  const closed: ClosedTrade[] = [];
  const books = new Map<number, EpisodeBook>();
  for (let row = 0; row < fills.length; row++) {
    const strategy = fills.strategy[row]!;
    const instrument = fills.instrument[row]!;
    const key = strategy * 256 + instrument;
    let book = books.get(key);
    if (!book) books.set(key, (book = new EpisodeBook(strategy, instrument, instruments[instrument]!, null, closed)));
    book.book(bookable(fills, row, -1));
  }
  for (const book of books.values()) book.end();
  closed.sort((a, b) => a.lastFill - b.lastFill);
  const out = new Float64Array(closed.length);
  for (let at = 0; at < out.length; at++) out[at] = closed[at]!.pnlUnits;
  return out;
}

/** The position of each instrument is valued as the account's equity is, as one; the books share that figure, the last takes the rest. */
function openOf(record: RunRecord, lanes: readonly Lane[], bars: readonly (BarColumns | null)[]): Pick<Trades, 'open' | 'openUnits'> {
  const open: OpenTrade[] = [];
  let openUnits = 0;
  record.instruments.forEach((instrument, index) => {
    const scale = new Scale(instrument);
    const columns = bars[index] ?? null;
    const last = columns === null ? -1 : countUpTo(columns.closeMs, columns.length, record.toMs) - 1;
    const ticks = last < 0 ? 0 : ticksOf(columns!, 'close')[last]!;
    const worth = (units: number) => (units < 0 ? -1 : 1) * valueAt(Math.abs(units), ticks, scale.ofUnits);
    const of = lanes.filter((lane) => lane.instrument === index);
    let rest = worth(of.reduce((sum, { book }) => sum + book.base, 0));
    of.forEach(({ strategy, book }, at) => {
      const value = at === of.length - 1 ? rest : worth(book.base);
      rest -= value;
      openUnits += book.flow + value;
      if (book.side === 0) return;
      open.push({
        strategy,
        instrument: instrument.id,
        side: book.side === 1 ? 'long' : 'short',
        entryMs: book.entryMs,
        entryPrice: book.entryPrice,
        baseUnits: Math.abs(book.base),
        unrealisedUnits: book.flow + value,
      });
    });
  });
  return { open, openUnits };
}

/** The texts by which trades are told apart: the slot of an order, or the role of a bracket leg. */
class Tags {
  readonly texts: string[] = [];
  readonly #record: RunRecord;
  readonly #at = new Map<string, number>();

  constructor(record: RunRecord) {
    this.#record = record;
  }

  of(fill: number): number {
    const { orders, fills } = this.#record;
    const order = fills.orderId[fill]! - 1;
    const role = orders.role[order]!;
    const isLeg = role === ROLE.stopLoss || role === ROLE.trailing || role === ROLE.takeProfit;
    const text = isLeg ? ROLES[role]! : (orders.texts[orders.slot[order]!] ?? '');
    let at = this.#at.get(text);
    if (at === undefined) this.#at.set(text, (at = this.texts.push(text) - 1));
    return at;
  }
}
