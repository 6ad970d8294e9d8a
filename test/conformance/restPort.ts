// Runs the script through REST: the paper exchange in virtual time, whose other traders trade like the rows of the replay.

import { fromScaled } from '../../src/base/number/decimal.ts';
import { deliverInstant } from '../../src/engine/loop/liveSteps.ts';
import { DEFAULT_ABSENCE_BOUNDS } from '../../src/orders/prove/absenceBounds.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { bob } from '../fixtures/restOthers.ts';
import { ACCOUNTS } from '../service/serviceFixture.ts';
import { bars, fillPriceOf, ROWS, type MakeWorld } from './exchangePort.ts';

const PASS = { stepMs: 50, settledMs: 500 } as const;
/** More than any order of the script takes. */
const PLENTY = '5';

/** A list is never old here, so that two reads may follow each other; what remains of an unknown order's wait is the admission window. */
const BOUNDS = { ...DEFAULT_ABSENCE_BOUNDS, deltaMinMs: 0, readLagMs: 0, resolveEveryMs: 1000 };

/** Makes the world of the script on REST. */
export const restPort: MakeWorld = async (plan, faultOf) => {
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

  /** A foreign order at this price, on the other side of the bot's. */
  const meet = (isBuy: boolean, price: number): string =>
    bob(world).limit('bob', isBuy ? 'SELL' : 'BUY', PLENTY, fromScaled(price, instrument.priceDigits));
  const withdraw = (orderId: string): void =>
    void bob(world).post('/sapi/v1/cancel', { symbol: instrument.wireName, orderId }, { as: 'bob' });

  const run = (): void => {
    for (let row = 0; row < ROWS; row++) {
      const id = row + 1;
      world.pass(bars.closeMs[row]! - world.nowMs - PASS.settledMs, PASS.stepMs);
      world.settle();
      const fill = fillPriceOf(id, id);
      const isBuy = isBuyOf(id);
      const ahead = fill !== null && !fill.isMaker ? meet(isBuy, fill.price) : null;
      world.pass(bars.closeMs[row]! - world.nowMs, PASS.stepMs);
      const fault = faultOf({ id });
      if (fault !== 'none') world.fault(fault === 'lostAnswer' ? 'NET.respDrop' : 'NET.reqDrop');
      deliverInstant(engine, bars.closeMs[row]!);
      world.pass(PASS.settledMs, PASS.stepMs);
      if (ahead !== null) withdraw(ahead);
      if (fill?.isMaker === true) withdraw(meet(isBuy, fill.price));
    }
    world.pass(2 * PASS.settledMs, PASS.stepMs);
    world.settle();
    world.pass(PASS.settledMs, PASS.stepMs);
  };
  return { engine, journalHash: () => world.journal.hash, run };
};

const isBuyOf = (id: number): boolean => fillPriceOf(id, id) !== null && [1, 2, 3].includes(((id - 1) % 10) + 1);
