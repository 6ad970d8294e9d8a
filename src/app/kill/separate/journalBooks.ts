// What a journal tells a kill: which orders are ours, which of them nobody knows the fate of, and how much of each coin the bot holds.

import type { JournalRecord } from '../../../adapters/journal/records.ts';
import { JournalState, restartOf } from '../../../adapters/journal/journalState.ts';
import { Decimal } from '../../../base/decimal.ts';
import type { Instrument, InstrumentId, Market } from '../../../model/instrument.ts';
import { askedFor } from '../killPlan.ts';
import type { KillOrders } from '../cancel/cancelAll.ts';

interface Holding {
  qty: Decimal;
}

export class JournalBooks {
  readonly state = new JournalState();
  readonly #strategies = new Map<string, number>();
  readonly #cids = new Set<string>();
  readonly #cidOf = new Map<string, string>();
  /** By `<instrument id> <strategy>`. */
  readonly #holdings = new Map<string, Holding>();
  readonly #instruments: ReadonlyMap<string, Instrument>;
  #lastOrder = 0;
  #lastCid: string | null = null;

  constructor(instruments: readonly Instrument[]) {
    this.#instruments = new Map(instruments.map((instrument) => [instrument.id, instrument]));
  }

  /** Takes the next record. */
  readonly add = (record: JournalRecord): void => {
    this.state.add(record);
    if (record.k === 'INTENT') {
      this.#cids.add(record.cid);
      this.#strategies.set(record.cid, record.strategy);
      this.#lastOrder = Math.max(this.#lastOrder, record.order);
      this.#lastCid = record.cid;
    } else if (record.k === 'ACK') this.#cidOf.set(record.orderId, record.cid);
    else if (record.k === 'FILL' && record.cid !== null) {
      this.#cidOf.set(record.orderId, record.cid);
      this.book({ ...record, instrument: record.symbol, strategy: this.#strategies.get(record.cid) ?? 0 });
    }
  };

  /** The highest number of an order, and the client id that was given out last. */
  get lastOrder(): { readonly id: number; readonly cid: string | null } {
    return { id: this.#lastOrder, cid: this.#lastCid };
  }

  /** The strategy whose order `venueId` is; null: not one of ours. */
  strategyOfOrder(venueId: string): number | null {
    const cid = this.#cidOf.get(venueId);
    return cid === undefined ? null : (this.#strategies.get(cid) ?? 0);
  }

  /** An order of unknown fate was found at the exchange. */
  found(cid: string, venueId: string): void {
    this.#cidOf.set(venueId, cid);
  }

  /** A fill: adds what is bought, less a fee in the same coin. */
  book(fill: {
    readonly instrument: string;
    readonly strategy: number;
    readonly side: 'buy' | 'sell';
    readonly qty: string;
    readonly fee: string;
    readonly feeCoin: string;
  }): void {
    const key = `${fill.instrument} ${fill.strategy}`;
    const holding = this.#holdings.get(key) ?? { qty: new Decimal(0) };
    this.#holdings.set(key, holding);
    holding.qty = fill.side === 'buy' ? holding.qty.plus(fill.qty) : holding.qty.minus(fill.qty);
    if (fill.feeCoin === this.#instruments.get(fill.instrument)?.base) holding.qty = holding.qty.minus(fill.fee);
  }

  /** Coins above zero, by strategy. */
  holdingsOf({ id }: Instrument): readonly { readonly strategy: number; readonly qty: string }[] {
    return [...this.#holdings]
      .filter(([key, { qty }]) => key.startsWith(`${id} `) && qty.greaterThan(0))
      .map(([key, { qty }]) => ({ strategy: Number(key.slice(id.length + 1)), qty: qty.toFixed() }));
  }

  /** The strategy that traded a contract last; 0 where none did. */
  strategyOf({ id }: Instrument): number {
    const keys = [...this.#holdings.keys()].filter((key) => key.startsWith(`${id} `));
    return Number(keys.at(-1)?.slice(id.length + 1) ?? 0);
  }

  /** Client ids of orders whose place at the exchange is not known. */
  get lost(): readonly { readonly cid: string; readonly instrument: string }[] {
    return [...this.state.unfinished.values(), ...this.state.tombs.values()]
      .filter(({ orderId }) => orderId === null)
      .map(({ intent }) => ({ cid: intent.cid, instrument: intent.symbol }));
  }

  /** `isTorn`: some write of the journal did not finish; `nowMs`: of the exchange, for an order whose SEND is lost. */
  orders(isTorn: boolean, nowMs: number): KillOrders {
    const open = new Map<InstrumentId, string[]>();
    const asked = new Set<string>();
    const unknown: Partial<Record<Market, number>> = {};
    for (const trace of this.state.unfinished.values()) {
      const { symbol, side, price, qty } = trace.intent;
      const instrument = this.#instruments.get(symbol);
      if (instrument === undefined) continue;
      const { id, market } = instrument;
      const restart = restartOf(trace, isTorn);
      if (restart.kind === 'notSent') continue;
      if (restart.kind !== 'unknown') open.set(id, [...(open.get(id) ?? []), restart.orderId]);
      else {
        unknown[market] = Math.max(unknown[market] ?? -Infinity, restart.signMs ?? nowMs);
        asked.add(askedFor(id, { side, price, qty: qty ?? '0' }));
      }
    }
    // What was proved without effect may land late all the same.
    for (const { intent } of this.state.tombs.values()) {
      const instrument = this.#instruments.get(intent.symbol);
      if (instrument !== undefined) asked.add(askedFor(instrument.id, { ...intent, qty: intent.qty ?? '0' }));
    }
    return { own: { venueIds: new Set(this.#cidOf.keys()), cids: this.#cids, asked }, open, unknownSignMs: unknown };
  }
}
