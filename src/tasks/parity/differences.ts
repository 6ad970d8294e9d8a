// Finds the events that differ between a rerun and the journal.

import { fromScaled, isPlainDecimal } from '../../base/number/decimal.ts';
import { closeOf, openOf, type Interval } from '../../model/interval.ts';
import type { Instrument } from '../../model/instrument.ts';
import { formatTime } from '../../model/time.ts';
import { ENDINGS, SIDES } from '../../model/run/run.ts';
import { causeOfSilence, isSameBar } from './feeds.ts';
import type { DivergentEvent, DivergentWhat } from './model.ts';
import { barKey, type RecordedRun, type ReportedEnd, type ReportedFill, type ReportedOrder } from './recordedRun.ts';
import { askedRole, pairedOrders } from './pairs.ts';
import type { Rerun } from './rerun.ts';
import { roleOfIntent } from './script.ts';

/** An event that differs between backtest and bot. Its `id` is the same in every rerun. */
export interface ListedDifference extends DivergentEvent {
  readonly id: string;
}

/** Returns the rank of an event among those of the same time: bars before decisions before all others, which follow the journal. */
const rankOf = (what: DivergentWhat): number => (what === 'bar' ? 0 : what === 'decision' ? 1 : 2);

/** Returns all events that differ, the earliest first. */
export function differencesOf(rerun: Rerun, run: RecordedRun): readonly ListedDifference[] {
  const all = [...barDifferences(rerun, run), ...new OrderDifferences(rerun, run).all(), ...fundingDifferences(rerun, run)];
  return all.toSorted((a, b) => a.time - b.time || rankOf(a.what) - rankOf(b.what) || a.seq - b.seq);
}

function barDifferences({ feeds, undecided }: Rerun, run: RecordedRun): readonly ListedDifference[] {
  return feeds.flatMap(({ bars, firstRow, isHidden = false }, feed): readonly ListedDifference[] =>
    Array.from({ length: bars.length }).flatMap((_, row): readonly ListedDifference[] => {
      const openMs = bars.openMs[row]!;
      const time = closeOf(bars.interval, openMs);
      const values = [bars.open[row]!, bars.high[row]!, bars.low[row]!, bars.close[row]!, bars.volume[row]!];
      const received = run.bars.get(barKey(feed, openMs));
      const id = `bar ${feed} ${openMs}`;
      const { instrument } = bars;
      if (received === undefined) {
        if (undecided.has(time)) return [];
        return [{ id, seq: run.seqAfter(time), time, what: 'bar', backtest: barText(values, instrument), live: null }];
      }
      if (!isSameBar(values, received.values, instrument)) {
        const texts = { backtest: barText(values, instrument), live: barText(received.values, instrument) };
        return [{ id, seq: received.seq, time, what: 'bar', ...texts }];
      }
      if (isHidden || row < firstRow || undecided.has(time) || causeOfSilence(run, time) === null) return [];
      const live = `no decision: the bar came with the instant of ${formatTime(received.atMs)}`;
      return [{ id, seq: received.seq, time, what: 'decision', backtest: 'decided', live }];
    }),
  );
}

function barText(values: readonly number[], { priceDigits, quantityDigits }: Instrument): string {
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = values;
  const prices = Object.entries({ open, high, low, close }).map(([name, price]) => `${name} ${price.toFixed(priceDigits)}`);
  return `${prices.join(' ')} volume ${volume.toFixed(quantityDigits)}`;
}

/** A fill of the backtest or of the bot, with amounts as decimals. */
interface PlainFill {
  readonly seq: number | null;
  readonly timeMs: number;
  readonly price: string;
  readonly qty: string;
  readonly notional: string;
  readonly fee: string;
  readonly coin: string;
}

class OrderDifferences {
  readonly #rerun: Rerun;
  readonly #run: RecordedRun;
  readonly #found: ListedDifference[] = [];
  readonly #fillsOf = new Map<number, number[]>();

  constructor(rerun: Rerun, run: RecordedRun) {
    this.#rerun = rerun;
    this.#run = run;
    const { fills } = rerun;
    for (let at = 0; at < fills.length; at++) {
      const id = fills.orderId[at]!;
      this.#fillsOf.set(id, [...(this.#fillsOf.get(id) ?? []), at]);
    }
  }

  all(): readonly ListedDifference[] {
    for (const { at, recorded, id } of pairedOrders(this.#rerun, this.#run)) {
      if (at !== null) this.#compare(at, recorded, id);
      else if (recorded!.intent !== null || recorded!.end !== null)
        this.#add(`order ${id}`, recorded!.seq, recorded!.createdMs, 'order', null, recordedText(recorded!));
    }
    return this.#found;
  }

  #add(id: string, seq: number, time: number, what: DivergentWhat, backtest: string | null, live: string | null): void {
    this.#found.push({ id, seq, time, what, backtest, live });
  }

  #compare(at: number, recorded: ReportedOrder | null, id: string): void {
    const { orders } = this.#rerun;
    const createdMs = orders.createdMs[at]!;
    const text = this.#textOf(at);
    if (recorded === null) return this.#add(`order ${id}`, this.#run.seqAfter(createdMs), createdMs, 'order', text, null);
    const { intent, end, seq } = recorded;
    const ending = ENDINGS[orders.ending[at]!]!;
    const code = orders.texts[orders.code[at]!] ?? '';
    if (intent === null) {
      if (ending !== 'denied' || code !== end?.code) this.#add(`order ${id}`, seq, createdMs, 'order', text, recordedText(recorded));
      return;
    }
    if (ending === 'denied' || text !== intentTerms(intent)) {
      const own = ending === 'denied' ? `${text}, denied ${code}` : text;
      this.#add(`order ${id}`, seq, createdMs, 'order', own, recordedText(recorded));
    }
    const before = this.#found.length;
    this.#compareFills(at, recorded, id);
    if (this.#found.length > before && this.#found.at(-1)!.what === 'end') return;
    const isEnded = ending === 'refused' || ending === 'canceled' || ending === 'notSent';
    const live = end === null || end.how === 'denied' ? null : endText(end);
    const kind = end?.how ?? null;
    if ((isEnded ? ending : null) === (live === null ? null : kind)) return;
    const time = live === null ? orders.doneMs[at]! : end!.t;
    this.#add(`end ${id}`, end?.seq ?? this.#run.seqAfter(time), time, 'end', isEnded ? `${ending} ${code}`.trim() : null, live);
  }

  #compareFills(at: number, { fills: reported, end }: ReportedOrder, id: string): void {
    const { orders, instruments, feeds } = this.#rerun;
    const instrument = instruments[orders.instrument[at]!]!;
    const { interval } = feeds.findLast(({ bars }) => bars.instrument.id === instrument.id)!.bars;
    const own = (this.#fillsOf.get(orders.id[at]!) ?? []).map((row) => this.#plainFill(row, instrument));
    const live = reported.map(plainRecord);
    for (let place = 0; place < Math.max(own.length, live.length); place++) {
      const [mine, theirs] = [own[place], live[place]];
      const time = Math.min(mine?.timeMs ?? Infinity, theirs?.timeMs ?? Infinity);
      const seq = theirs?.seq ?? this.#run.seqAfter(time);
      const [backtest, other] = [fillText(mine), fillText(theirs)];
      // The bot's order ended without this fill, so its end is the first difference.
      if (theirs === undefined && end !== null) {
        this.#add(`end ${id}`, end.seq, Math.min(time, end.t), 'end', `filled ${backtest ?? ''}`, endText(end));
        return;
      }
      if (mine === undefined || theirs === undefined || !isSameFill(mine, theirs, interval))
        this.#add(`fill ${id} ${place}`, seq, time, 'fill', backtest, other);
      else if (mine.fee !== theirs.fee || mine.coin !== theirs.coin || mine.notional !== theirs.notional) {
        const money = ({ fee, coin, notional }: PlainFill): string => `fee ${fee} ${coin} of ${notional}`;
        this.#add(`fee ${id} ${place}`, seq, time, 'fee', money(mine), money(theirs));
      }
    }
  }

  #plainFill(row: number, { priceDigits, quantityDigits, quoteDigits, baseDigits, base, quote }: Instrument): PlainFill {
    const { price, lots, notional, fee, feeInBase, timeMs } = this.#rerun.fills;
    const inBase = feeInBase[row] === 1;
    return {
      seq: null,
      timeMs: timeMs[row]!,
      price: fromScaled(price[row]!, priceDigits),
      qty: fromScaled(lots[row]!, quantityDigits),
      notional: fromScaled(notional[row]!, quoteDigits),
      fee: fromScaled(fee[row]!, inBase ? baseDigits : quoteDigits),
      coin: inBase ? base : quote,
    };
  }

  /** Returns the terms of an order of the rerun, in the form of the journal's INTENT. */
  #textOf(at: number): string {
    const { orders, instruments } = this.#rerun;
    const instrument = instruments[orders.instrument[at]!]!;
    const { quantityDigits, quoteDigits, priceDigits } = instrument;
    const amount = orders.quoteUnits[at]!;
    const role = askedRole(orders, at);
    return termsText({
      side: SIDES[orders.side[at]!]!,
      role,
      symbol: instrument.id,
      qty: amount > 0 ? null : fromScaled(orders.lots[at]!, quantityDigits),
      amount: amount > 0 ? fromScaled(amount, quoteDigits) : null,
      price: orders.limit[at]! > 0 ? fromScaled(orders.limit[at]!, priceDigits) : null,
    });
  }
}

interface PlainTerms {
  readonly side: string;
  readonly role: string;
  readonly symbol: string;
  readonly qty: string | null;
  readonly amount: string | null;
  readonly price: string | null;
}

/** Returns the terms of an order as text. The limit of a market order is its collar, and is omitted. */
function termsText({ side, role, symbol, qty, amount, price }: PlainTerms): string {
  const isPriced = price !== null && (role === 'limit' || role === 'takeProfit');
  return `${side} ${plain(qty ?? amount ?? '0')} ${symbol} ${role}${isPriced ? ` at ${plain(price)}` : ''}`;
}

const intentTerms = (intent: NonNullable<ReportedOrder['intent']>): string => termsText({ ...intent, role: roleOfIntent(intent) });

function recordedText({ intent, end }: ReportedOrder): string {
  if (intent !== null) return intentTerms(intent);
  return end === null ? 'an order' : `${end.how} ${end.code}`;
}

const endText = ({ how, code }: ReportedEnd): string => (how === code ? how : `${how} ${code}`.trim());

const plainRecord = ({ record }: ReportedFill): PlainFill => ({
  seq: record.seq,
  timeMs: record.executedMs,
  price: plain(record.price),
  qty: plain(record.qty),
  notional: plain(record.notional),
  fee: plain(record.fee),
  coin: record.feeCoin,
});

const fillText = (fill: PlainFill | undefined): string | null =>
  fill === undefined ? null : `${fill.qty} at ${fill.price}, ${formatTime(fill.timeMs)}`;

/** Returns true when two fills are equal. Their times are compared by bar, because a backtest has no finer times. */
const isSameFill = (a: PlainFill, b: PlainFill, interval: Interval): boolean =>
  a.price === b.price &&
  a.qty === b.qty &&
  (a.timeMs === b.timeMs ||
    openOf(interval, a.timeMs) === openOf(interval, b.timeMs) ||
    openOf(interval, a.timeMs - 1) === openOf(interval, b.timeMs));

/** Returns a decimal without trailing zeros. */
function plain(text: string): string {
  return isPlainDecimal(text) && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Payments are compared by hour, shifted by a minute. A catalog may have a payment some ms before the hour, and the bot sees it later. */
const [HOUR_MS, EARLY_MS] = [3_600_000, 60_000];

function fundingDifferences({ payments, instruments }: Rerun, { funded, seqAfter }: RecordedRun): readonly ListedDifference[] {
  interface Paid {
    seq: number | null;
    time: number;
    amount: number;
    digits: number;
  }
  const [own, live] = [new Map<string, Paid>(), new Map<string, Paid>()];
  const add = (to: Map<string, Paid>, symbol: string, paid: Paid): void => {
    const key = `${symbol} ${Math.floor((paid.time + EARLY_MS) / HOUR_MS)}`;
    const known = to.get(key);
    if (known === undefined) to.set(key, { ...paid });
    else known.amount += paid.amount;
  };
  for (let at = 0; at < payments.length; at++) {
    const { id, quoteDigits: digits } = instruments[payments.instrument[at]!]!;
    if (payments.kind[at] === 0) add(own, id, { seq: null, time: payments.timeMs[at]!, amount: payments.units[at]!, digits });
  }
  for (const { symbol, amount, paidMs, seq } of funded) {
    const digits = instruments.find(({ id }) => id === symbol)?.quoteDigits ?? 0;
    add(live, symbol, { seq, time: paidMs, amount: Math.round(Number(amount) * 10 ** digits), digits });
  }
  return [...new Set([...own.keys(), ...live.keys()])].flatMap((key): readonly ListedDifference[] => {
    const [mine, theirs] = [own.get(key), live.get(key)];
    if (mine?.amount === theirs?.amount) return [];
    const text = (paid: Paid | undefined): string | null => (paid === undefined ? null : fromScaled(paid.amount, paid.digits));
    const time = mine?.time ?? theirs!.time;
    return [{ id: `funding ${key}`, seq: theirs?.seq ?? seqAfter(time), time, what: 'funding', backtest: text(mine), live: text(theirs) }];
  });
}
