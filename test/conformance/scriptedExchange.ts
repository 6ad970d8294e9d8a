// An exchange without matching rules, for the conformance tests of the exchange port. The script in exchangePort.ts says which requests or
// replies get lost, and which orders fill. It reports to the core through the ExchangeSink alone.

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

/** Parts per million in one. */
const MILLION = 1_000_000;
/** Quote units of one tick times one lot of the script's instrument. */
const UNITS_PER_TICK_LOT = 1000;
/** Base units of one lot of the script's instrument. */
const BASE_UNITS_PER_LOT = 1000;
/** Fee of a maker in the script's run plan. */
const MAKER_FEE_PPM = 1000;
/** Fee of a taker in the script's run plan. */
const TAKER_FEE_PPM = 2000;

/** A working order of the exchange. */
interface RestingOrder {
  readonly id: OrderId;
  readonly isBuy: boolean;
  /** Ordered quantity; not used by an order by amount. */
  readonly lots: number;
  /** Ordered amount of an order by amount; 0 for an order by quantity. */
  readonly quoteUnits: number;
}

/** Price, role and time of a fill. */
interface FillTerms {
  readonly priceTicks: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

/** An exchange adapter and bar market without matching rules of its own. */
export class ScriptedExchange implements ExchangeAdapter, BarMarket {
  readonly #scheduler: Scheduler;
  readonly #faultOf: (order: { readonly id: number }) => ReplayFault;
  readonly #restingOrders = new Map<OrderId, RestingOrder>();
  #sink!: ExchangeSink;
  #venueNowMs: () => number = () => NaN;
  #tradeCount = 0;

  constructor(scheduler: Scheduler, faultOf: (order: { readonly id: number }) => ReplayFault) {
    this.#scheduler = scheduler;
    this.#faultOf = faultOf;
  }
  attach(sink: ExchangeSink, venueNowMs: () => number): void {
    this.#sink = sink;
    this.#venueNowMs = venueNowMs;
  }

  submit(order: ApprovedOrder): void {
    const { id, side, lots, quoteUnits } = order;
    const fault = this.#faultOf(order);
    if (fault !== 'lostRequest') this.#restingOrders.set(id, { id, isBuy: side === 'buy', lots, quoteUnits });
    // A lost request and a lost reply look the same to the bot. Only the order book of the exchange differs.
    if (fault === 'none') this.#sink.acked(id, `v${id}` as VenueOrderId, this.#venueNowMs());
    else this.#sink.outcomeUnknown(id, 'no answer');
  }
  cancel({ id }: Order): void {
    if (this.#restingOrders.delete(id)) this.#sink.ended(id, 'canceled', this.#venueNowMs());
  }
  read({ id }: Order, channel: Channel): void {
    const isFound = channel !== 'balances' && this.#restingOrders.has(id);
    const venueMs = this.#venueNowMs();
    this.#scheduler.at(venueMs, () => this.#sink.evidence(id, { channel, venueMs, complete: true, found: isFound }));
  }
  workingOrders(): number {
    return this.#restingOrders.size;
  }
  blockOpened(): void {}
  settleMarks(): void {}
  matchRow(_instrument: number, row: number): void {
    for (const order of this.#restingOrders.values()) {
      const fillPrice = fillPriceOf(order.id, row);
      if (fillPrice === null) continue;
      this.#restingOrders.delete(order.id);
      const { price: priceTicks, isMaker } = fillPrice;
      // Makers of the script are resting limits, which may fill until the row ends. Takers fill at the open.
      const timeMs = isMaker ? bars.closeMs[row]! : bars.openMs[row]!;
      this.#fill(order, { priceTicks, isMaker, timeMs });
    }
  }

  /** Fills the whole of a resting order and reports the fill. An order by amount fills as many lots as the amount pays for. */
  #fill({ id, isBuy, lots, quoteUnits }: RestingOrder, { priceTicks, isMaker, timeMs }: FillTerms): void {
    const filledLots = quoteUnits > 0 ? Math.floor(quoteUnits / (priceTicks * UNITS_PER_TICK_LOT)) : lots;
    const notionalUnits = priceTicks * filledLots * UNITS_PER_TICK_LOT;
    const receivedUnits = isBuy ? filledLots * BASE_UNITS_PER_LOT : notionalUnits;
    const feePpm = isMaker ? MAKER_FEE_PPM : TAKER_FEE_PPM;
    const feeUnits = Math.round((receivedUnits * feePpm) / MILLION);
    this.#sink.filled(
      id,
      fillOf({
        tradeId: ++this.#tradeCount,
        price: priceTicks,
        lots: filledLots,
        notional: notionalUnits,
        fee: feeUnits,
        feeInBase: isBuy,
        isMaker,
        timeMs,
      }),
    );
    // What remains of the amount does not pay for a further lot, so the order ends here.
    if (quoteUnits > 0) this.#sink.ended(id, 'filled', timeMs);
  }
}

/** Identifies the scripted exchange in the container of the bot. */
const SCRIPTED_EXCHANGE: ServiceIdentifier<ScriptedExchange> = Symbol.for('scriptedExchange');

/** Returns the module that binds the scripted exchange in place of the replayed one. */
export function scriptedExchangeModule(faultOf: (order: { readonly id: number }) => ReplayFault): World {
  return ({ bind, own }) => {
    bind(own(PARTS.journal)).toConstantValue(new ReplayJournal());
    bind(TOKENS.absenceBounds).toConstantValue(REPLAY_ABSENCE_BOUNDS);
    bind(TOKENS.venue).toConstantValue(null);
    bind(SCRIPTED_EXCHANGE).toResolvedValue((scheduler) => new ScriptedExchange(scheduler, faultOf), [idOf(PARTS.scheduler)]);
    bind(own(PARTS.exchange)).toResolvedValue((exchange): ExchangeAdapter => exchange, [SCRIPTED_EXCHANGE]);
    bind(own(PARTS.barMarket)).toResolvedValue((exchange): BarMarket => exchange, [SCRIPTED_EXCHANGE]);
  };
}
