// Simulates an exchange that replies, loses replies, fills and cancels by script, only through the ExchangeSink.

import type { ServiceIdentifier } from 'inversify';
import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import type { World } from '../../src/app/bot.ts';
import { PARTS, type ExchangeAdapter } from '../../src/app/parts.ts';
import { idOf, TOKENS } from '../../src/app/tokens.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../../src/model/order.ts';
import { REPLAY_ABSENCE_BOUNDS } from '../../src/orders/prove/resolver.ts';
import type { BarMarket, Channel, ExchangeSink } from '../../src/ports/exchange.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import { fillOf } from '../fixtures/fills.ts';
import { bars, fillPriceOf } from './exchangePort.ts';

const MILLION = 1_000_000;
/** Quote units of one tick times one lot of the script's instrument. */
const UNITS_PER_TICK_LOT = 1000;
/** Base units of one lot of the script's instrument. */
const BASE_PER_LOT = 1000;
/** Fees of the script's plan. */
const MAKER_PPM = 1000;
const TAKER_PPM = 2000;

/** A working order of the exchange. */
interface RestingOrder {
  readonly id: number;
  readonly isBuy: boolean;
  readonly lots: number;
  readonly quoteUnits: number;
}

/** An exchange adapter and bar market without any matching rules of its own. */
export class StubExchange implements ExchangeAdapter, BarMarket {
  readonly #scheduler: Scheduler;
  readonly #faultOf: (order: { readonly id: number }) => ReplayFault;
  readonly #resting = new Map<number, RestingOrder>();
  #sink!: ExchangeSink;
  #now: () => number = () => NaN;
  #tradeCount = 0;

  constructor(scheduler: Scheduler, faultOf: (order: { readonly id: number }) => ReplayFault) {
    this.#scheduler = scheduler;
    this.#faultOf = faultOf;
  }
  attach(sink: ExchangeSink, now: () => number): void {
    this.#sink = sink;
    this.#now = now;
  }

  submit(order: ApprovedOrder): void {
    const { id, side, lots, quoteUnits } = order;
    const fault = this.#faultOf(order);
    if (fault !== 'lostRequest') this.#resting.set(id, { id, isBuy: side === 'buy', lots, quoteUnits });
    if (fault === 'none') this.#sink.acked(id, `v${id}` as VenueOrderId, this.#now());
    else this.#sink.outcomeUnknown(id, 'no answer');
  }
  cancel({ id }: Order): void {
    if (this.#resting.delete(id)) this.#sink.ended(id, 'canceled', this.#now());
  }
  read({ id }: Order, channel: Channel): void {
    const isFound = channel !== 'balances' && this.#resting.has(id);
    const venueMs = this.#now();
    this.#scheduler.at(venueMs, () => this.#sink.evidence(id, { channel, venueMs, complete: true, found: isFound }));
  }
  workingOrders(): number {
    return this.#resting.size;
  }
  blockOpened(): void {}
  settleMarks(): void {}
  matchRow(_instrument: number, row: number): void {
    for (const order of this.#resting.values()) {
      const fillPrice = fillPriceOf(order.id, row);
      if (fillPrice === null) continue;
      this.#resting.delete(order.id);
      const { price, isMaker } = fillPrice;
      // A resting limit may fill until the row ends; any other order fills at the open.
      this.#fill(order, price, isMaker, isMaker ? bars.closeMs[row]! : bars.openMs[row]!);
    }
  }

  /** Fills a resting order whole, and reports the fill. */
  #fill({ id, isBuy, lots, quoteUnits }: RestingOrder, price: number, isMaker: boolean, timeMs: number): void {
    const filledLots = quoteUnits > 0 ? Math.floor(quoteUnits / (price * UNITS_PER_TICK_LOT)) : lots;
    const notional = price * filledLots * UNITS_PER_TICK_LOT;
    const receivedUnits = isBuy ? filledLots * BASE_PER_LOT : notional;
    const feePpm = isMaker ? MAKER_PPM : TAKER_PPM;
    const fee = Math.round((receivedUnits * feePpm) / MILLION);
    this.#sink.filled(
      id as OrderId,
      fillOf({ tradeId: ++this.#tradeCount, price, lots: filledLots, notional, fee, feeInBase: isBuy, isMaker, timeMs }),
    );
    // The remaining amount does not pay for a lot, so the order ends here.
    if (quoteUnits > 0) this.#sink.ended(id as OrderId, 'filled', timeMs);
  }
}

const STUB: ServiceIdentifier<StubExchange> = Symbol.for('stub');

/** Returns the module that binds the stub in place of the replayed exchange. */
export function stubWorld(faultOf: (order: { readonly id: number }) => ReplayFault): World {
  return ({ bind, own }) => {
    bind(own(PARTS.journal)).toConstantValue(new ReplayJournal());
    bind(TOKENS.absenceBounds).toConstantValue(REPLAY_ABSENCE_BOUNDS);
    bind(TOKENS.venue).toConstantValue(null);
    bind(STUB).toResolvedValue((queue) => new StubExchange(queue, faultOf), [idOf(PARTS.scheduler)]);
    bind(own(PARTS.exchange)).toResolvedValue((stub): ExchangeAdapter => stub, [STUB]);
    bind(own(PARTS.barMarket)).toResolvedValue((stub): BarMarket => stub, [STUB]);
  };
}
