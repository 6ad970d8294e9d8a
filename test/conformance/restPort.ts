// Opens the conformance world on REST: a paper exchange in virtual time. Another trader fills the bot's orders as the rows of the replay do.

import { fromScaled } from '../../src/base/number/decimal.ts';
import { deliverInstant } from '../../src/engine/loop/liveSteps.ts';
import { DEFAULT_ABSENCE_BOUNDS } from '../../src/orders/prove/absenceBounds.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { ACCOUNTS } from '../service/serviceFixture.ts';
import { bars, fillPriceOf, kindOf, ROWS, type OpenWorld } from './exchangePort.ts';

/** Length of a step of virtual time. */
const STEP_MS = 50;
/** Virtual time in which the bot and the exchange process an event. */
const EVENT_MS = 500;
/** Quantity of the other trader's orders: more than any order of the script takes. */
const OPPOSITE_QTY = '5';

/** Lists are never old here, so an unknown order only waits for the end of its admission window. */
const BOUNDS = { ...DEFAULT_ABSENCE_BOUNDS, deltaMinMs: 0, readLagMs: 0, resolveEveryMs: 1000 };

/** Opens the world of the script on REST. */
export const restPort: OpenWorld = async (plan, faultOf) => {
  const [feed] = plan.feeds;
  const { instrument } = feed!.bars;
  const { makerPpm, takerPpm } = plan.fees;
  const world = await RestWorld.open({
    plan,
    instruments: [{ ...instrument, makerFeePpm: makerPpm, takerFeePpm: takerPpm }],
    service: { accounts: ACCOUNTS.map((account) => ({ ...account, balances: { USDT: '100000', BTC: '50' } })) },
    settings: { readLagMs: 0 },
    bounds: BOUNDS,
    startMs: plan.fromMs,
  });
  const { engine } = world;

  /** Places an order of the other trader at `price` (ticks), on the side opposite to the bot's. Returns its venue order id. */
  const placeOpposite = (isBuy: boolean, price: number): string =>
    spotTrader(world).placeLimit('bob', isBuy ? 'SELL' : 'BUY', OPPOSITE_QTY, fromScaled(price, instrument.priceDigits));
  const cancelOpposite = (orderId: string): void =>
    void spotTrader(world).post('/sapi/v1/cancel', { symbol: instrument.wireName, orderId }, { as: 'bob' });

  /** Lets the exchange fill or hold each order before and after the close of each row, as the row of the replay does. */
  const runRows = (): void => {
    for (let row = 0; row < ROWS; row++) {
      const id = row + 1;
      world.passTime(bars.closeMs[row]! - world.nowMs - EVENT_MS, STEP_MS);
      world.settle();
      const fill = fillPriceOf(id, id);
      const isBuy = isBuyOf(id);
      const restingOrderId = fill !== null && !fill.isMaker ? placeOpposite(isBuy, fill.price) : null;
      world.passTime(bars.closeMs[row]! - world.nowMs, STEP_MS);
      const fault = faultOf({ id });
      if (fault !== 'none') world.plantFault(fault === 'lostAnswer' ? 'NET.respDrop' : 'NET.reqDrop');
      deliverInstant(engine, bars.closeMs[row]!);
      world.passTime(EVENT_MS, STEP_MS);
      if (restingOrderId !== null) cancelOpposite(restingOrderId);
      if (fill?.isMaker === true) cancelOpposite(placeOpposite(isBuy, fill.price));
    }
    world.passTime(2 * EVENT_MS, STEP_MS);
    world.settle();
    world.passTime(EVENT_MS, STEP_MS);
  };
  return { engine, journalHash: () => world.journal.hash, runRows };
};

/** True when the order with this number is a buy that fills. */
const isBuyOf = (id: number): boolean => fillPriceOf(id, id) !== null && kindOf(id).startsWith('buy');
