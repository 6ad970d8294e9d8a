// One life of a bot, replayed: from its CONFIG record to the next one, or to the end.

import { fillOf } from '../../../adapters/journal/fillRecord.ts';
import { causesOf, scopeOf } from '../../../adapters/journal/haltRecords.ts';
import { JournalState } from '../../../adapters/journal/journalState.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records.ts';
import { TradeHistory } from '../../../adapters/journal/history.ts';
import { memoryOf, restoredOrders } from '../../../adapters/journal/restored.ts';
import { tightenedLimits } from '../../../adapters/journal/tightened.ts';
import { whole } from '../../../adapters/journal/whole.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import { adopt } from '../../../engine/adoption.ts';
import { applyInbox, deliverInstant } from '../../../engine/liveSteps.ts';
import { restoreBot } from '../../../engine/restore.ts';
import { GrowingBars } from '../../../model/growingBars.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import { LiveFence } from '../../../orders/fence.ts';
import type { ExchangePort } from '../../../ports/exchange.ts';
import { venueIdIn } from '../account/aliens.ts';
import { appendFacts, beginInstant, type BarFact } from '../feeds/barDesk.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ResolveOptions } from '../../definition/resolve.ts';
import type { RunPlan } from '../../bot/plan.ts';
import { rateFrom, ratesOf } from '../feeds/fundingRates.ts';
import { buildEngine, livePlan } from '../liveEngine.ts';
import type { LiveBehaviour } from '../config/read.ts';
import { plansFor } from '../feeds/feeds.ts';
import { decisionIn, MadeJournal } from './madeJournal.ts';
import { lasts } from '../journal/recovery.ts';

export interface ReplayOptions {
  readonly instruments: readonly Instrument[];
  readonly load?: ResolveOptions['load'];
}

/** The first event that differs. */
export interface ReplayDifference {
  /** Number of the record; the one that comes next where the replay has decided something that the journal does not hold. */
  readonly seq: number;
  readonly timeMs: number;
  readonly recorded: string;
  readonly replayed: string;
}

export interface ProcessRecords extends ReplayOptions {
  readonly before: readonly JournalRecord[];
  readonly config: RecordOf<'CONFIG'>;
  readonly own: readonly JournalRecord[];
}

interface Made {
  readonly engine: Engine;
  readonly plan: RunPlan;
  readonly journal: MadeJournal;
}

/** An exchange that only listens: what came of an order is in the journal. */
const SILENT: ExchangePort = { submit() {}, cancel() {}, read() {}, working: () => 0, row() {}, blockOpened() {}, settleMarks() {} };

export class ReplayedProcess {
  instants = 0;
  bars = 0;
  decisions = 0;
  readonly #engine: Engine;
  readonly #journal: MadeJournal;
  readonly #plan: RunPlan;
  readonly #own: readonly JournalRecord[];
  /** Number of each order by its client order id. */
  readonly #orders: Map<string, OrderId>;
  #stepMs = -Infinity;
  /** A person has said that the order of the next INTENT, which stands at the exchange under this id, is a strategy's. */
  #adopting: VenueOrderId | null = null;

  private constructor(made: Made, own: readonly JournalRecord[], orders: Map<string, OrderId>) {
    this.#engine = made.engine;
    this.#plan = made.plan;
    this.#journal = made.journal;
    this.#own = own;
    this.#orders = orders;
  }

  static async open(behaviour: LiveBehaviour, { instruments, before, config, own, load }: ProcessRecords): Promise<ReplayedProcess> {
    const { state, history } = readBefore(before);
    const orders = new Map<string, OrderId>();
    for (const record of [...before, ...own])
      if (record.k === 'VERDICT' || record.k === 'INTENT' || record.k === 'DRAFT') orders.set(record.cid, record.order as OrderId);
    const cids = new Map([...orders].map(([cid, id]) => [id, cid]));
    const fromMs = Number(config.limits['fromMs'] ?? 0);
    const warm = own.filter((record): record is RecordOf<'INSTANT'> => record.k === 'INSTANT' && record.atMs <= fromMs);
    const feeds = plansFor(behaviour, instruments, (bars, feed) => fillWarm(bars, feed, warm));
    const plan = await livePlan(behaviour, feeds, fromMs, { load });
    const journal = new MadeJournal((id) => cids.get(id) ?? `order ${id}`);
    const { engine } = await buildEngine(plan, { exchange: SILENT, journal, fence: new LiveFence(behaviour.proof) }, history, () => {});
    restore(engine, state, fromMs);
    journal.made.length = 0;
    const rest = own.filter((record) => !(record.k === 'INSTANT' && record.atMs <= fromMs));
    return new ReplayedProcess({ engine, plan, journal }, rest, orders);
  }

  /** The first difference; null: all was decided as it had been. */
  run(): ReplayDifference | null {
    for (const record of this.#own) {
      const recorded = this.#adopting === null ? decisionIn(record) : null;
      if (recorded === null) {
        const early = record.t > this.#stepMs ? this.#left(record) : null;
        if (early) return early;
        this.#take(record);
        continue;
      }
      if (this.#journal.made.length === 0) this.#step(record.t, () => {});
      const replayed = this.#journal.made.shift();
      if (replayed !== recorded) return { seq: record.seq, timeMs: record.t, recorded, replayed: replayed ?? 'nothing' };
      this.decisions++;
    }
    return null;
  }

  /** What was decided and is in no record; a bot that was killed may not have lived to write it. */
  #left({ seq, t }: JournalRecord): ReplayDifference | null {
    const [replayed] = this.#journal.made;
    return replayed === undefined ? null : { seq, timeMs: t, recorded: 'nothing', replayed };
  }

  #step(timeMs: number, act: () => void): void {
    this.#stepMs = timeMs;
    this.#guarded(() => applyInbox(this.#engine, timeMs, act));
  }

  /** As the live bot does: a strategy that throws gets no more calls. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      const run = this.#engine.runs[this.#engine.inCharge]!;
      run.started = false;
      run.awaitsRows = false;
      run.readyMs = Infinity;
    }
  }

  #take(record: JournalRecord): void {
    if (record.k === 'INSTANT') this.#instant(record);
    else if (record.k === 'HALT' || record.k === 'RESUME') this.#halt(record);
    else if (record.k === 'FUNDED') this.#funded(record);
    else if (record.k === 'RATES') this.#rates(record);
    else if (record.k === 'HUMAN') this.#human(record);
    else if (record.k === 'INTENT') this.#adopt(record);
    else if (isOfOrder(record) && record.cid !== null) this.#answer(record, record.cid);
  }

  #human(record: RecordOf<'HUMAN'>): void {
    if (record.what === 'adopt') this.#adopting = venueIdIn(record.id) as VenueOrderId;
    else this.#engine.risk.tighten(tightenedLimits(record));
  }
  #adopt({ symbol, strategy, side, qty, price, reduceOnly, t }: RecordOf<'INTENT'>): void {
    const [engine, venueId] = [this.#engine, this.#adopting];
    this.#adopting = null;
    const instrument = engine.instruments.findIndex(({ id }) => id === symbol);
    if (instrument < 0 || venueId === null || qty === null || price === null) return;
    const { quantityDigits, priceDigits } = engine.instruments[instrument]!;
    const wanted = { instrument, side, lots: whole(qty, quantityDigits), limit: whole(price, priceDigits), reduceOnly };
    this.#step(t, () => void adopt(engine, strategy, wanted, venueId));
  }

  /** What the exchange has said of an order, or lists have. */
  #answer(record: OrderRecordOf, cid: string): void {
    const engine = this.#engine;
    const id = this.#orders.get(cid);
    const order = id === undefined ? undefined : engine.orders.get(id);
    if (id === undefined || !order) return;
    const isOpen = order.lifecycle === 'sent' || order.lifecycle === 'unknown';
    const step = (act: () => void): void => this.#step(record.t, act);
    if (record.k === 'FILL') this.#filled(id, record);
    else if (record.k === 'STATE') this.#state(id, record);
    else if (record.k === 'EVID') step(() => engine.evidence(id, record));
    else if (record.k === 'REFUSED')
      step(() => (/^-?\d+$/.test(record.code) ? engine.refused(id, record.code) : engine.notSent(id, record.code)));
    else if (record.k === 'ACK' && isOpen) step(() => engine.acked(id, record.orderId as VenueOrderId, record.t));
    else if (record.k === 'TOMB' && isOpen) step(() => void engine.outcomes.resolve(id, null));
  }

  #halt(record: RecordOf<'HALT'> | RecordOf<'RESUME'>): void {
    const { risk, instruments } = this.#engine;
    const scope = scopeOf(record.scope, instruments);
    if (scope === null) return;
    this.#step(record.t, () => {
      if (record.k === 'HALT') risk.halts.raise(scope, record.state, record.code, record.why, record.t);
      else if (record.who === 'bot') risk.halts.clear(scope, record.code, record.why, record.t);
      else risk.resume(scope, record.code, record.who, record.t);
    });
  }

  #funded({ symbol, long, amount, paidMs, t }: RecordOf<'FUNDED'>): void {
    const engine = this.#engine;
    const index = engine.instruments.findIndex(({ id }) => id === symbol);
    if (index >= 0) this.#step(t, () => engine.funded(index, long, whole(amount, engine.instruments[index]!.quoteDigits), paidMs));
  }

  #rates({ symbol, times, rates }: RecordOf<'RATES'>): void {
    const known = ratesOf(this.#plan, symbol);
    times.forEach((timeMs, at) => known.set(timeMs, rateFrom(rates[at]!)));
  }

  #instant({ atMs, bars, t }: RecordOf<'INSTANT'>): void {
    const engine = this.#engine;
    this.instants++;
    this.bars += bars.length;
    this.#stepMs = t;
    this.#guarded(() => {
      beginInstant(engine, atMs, () => appendFacts(engine, bars as unknown as readonly BarFact[]));
      deliverInstant(engine, atMs);
    });
  }

  #filled(id: OrderId, record: RecordOf<'FILL'>): void {
    const order = this.#engine.orders.get(id);
    if (!order) return;
    const fill = fillOf(record, order.instrument);
    this.#step(record.t, () => this.#engine.filled(id, fill));
  }

  #state(id: OrderId, { lifecycle, reason, t }: RecordOf<'STATE'>): void {
    const engine = this.#engine;
    if (lifecycle === 'unknown') return this.#step(t, () => unknownAgain(engine, id));
    if (lifecycle !== 'done' || !engine.orders.get(id)) return;
    if (reason === 'filled' || reason === 'canceled' || reason === 'rejected' || reason === 'expired')
      this.#step(t, () => engine.ended(id, reason, t));
  }
}

/** A lost answer, or an id that was known and that the exchange has given to another order too. */
function unknownAgain(engine: Engine, id: OrderId): void {
  const order = engine.orders.get(id);
  if (order?.lifecycle === 'working' || order?.lifecycle === 'cancelSent') engine.outcomeUnknown(id, '', true);
  else if (order) engine.outcomeUnknown(id);
}

type OrderRecordOf = RecordOf<'FILL' | 'STATE' | 'EVID' | 'REFUSED' | 'ACK' | 'TOMB'>;
const OF_ORDER: ReadonlySet<string> = new Set(['FILL', 'STATE', 'EVID', 'REFUSED', 'ACK', 'TOMB']);
const isOfOrder = (record: JournalRecord): record is OrderRecordOf => OF_ORDER.has(record.k);

/** What the records before a start say, as the start has read them. */
function readBefore(before: readonly JournalRecord[]): { readonly state: JournalState; readonly history: TradeHistory } {
  const [state, history] = [new JournalState(), new TradeHistory()];
  for (const record of before) {
    state.add(record);
    history.add(record);
  }
  return { state, history };
}

function fillWarm(bars: GrowingBars, feed: number, warm: readonly RecordOf<'INSTANT'>[]): void {
  for (const record of warm) {
    for (const [of, openMs, open, high, low, close, volume] of record.bars) {
      if (of === feed) bars.append({ openMs: openMs!, open: open!, high: high!, low: low!, close: close!, volume: volume! });
    }
  }
}

function restore(engine: Engine, state: JournalState, venueMs: number): void {
  const orders = restoredOrders(state, engine.instruments, { isTorn: false, venueMs });
  restoreBot(engine, { orders, causes: causesOf(state, engine.instruments).filter(lasts), memory: memoryOf(state) }, venueMs);
}
