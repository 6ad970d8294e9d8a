// Tests that the running worst case of an account equals a sum over all instruments.

import { expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { PlainOrder, spotInstrument } from '../../../test/fixtures/drafts.ts';
import { fillOf } from '../../../test/fixtures/fills.ts';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { Reservations } from '../../orders/reserve/reservation.ts';
import { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { AccountWorstCase, type RiskState } from '../rules/rule.ts';
import { exposureOf } from './pairedExposure.ts';

const MONEY = { quote: 'USDT', quoteDigits: 4 } as const;
const CONTRACTS = ['BTC', 'ETH', 'XRP'].map((base) => linearContract({}, { base, takerFeePpm: 700 }));
const COINS = ['LTC', 'SOL', 'ADA', 'DOT'].map((base) => spotInstrument(base, MONEY));

/** The margin terms of every contract. */
const margin = () => ({ leverage: 10, isCross: true, isNet: true });

/** Returns an account with random prices, positions and open orders of two strategies, and functions that draw the next order or step. */
function randomAccount(seed: number, ledger: Ledger, deposit: (strategyIndex: number, units: number) => void) {
  const { instruments } = ledger;
  const rng = seededRng(seed);
  const drawInteger = (from: number, to: number) => from + Math.floor(rng.next() * (to - from + 1));
  const takerFeePpm = instruments.map((instrument) => instrument.takerFeePpm);
  const leverage = instruments.map(({ contract }) => (contract === undefined ? 0 : 10));
  const reservations = new Reservations(instruments, 2, { collarPpm: 10_000, takerFeePpm, feesIn: 'quote', leverage });
  const prices = instruments.map(() => drawInteger(900, 1100));
  const openOrders: PlainOrder[] = [];
  for (const strategy of [0, 1]) deposit(strategy, 1e12);
  const drawOrder = () => {
    const instrumentIndex = drawInteger(0, instruments.length - 1);
    // A contract belongs to one strategy.
    const strategyIndex = leverage[instrumentIndex] === 0 ? drawInteger(0, 1) : instrumentIndex % 2;
    const lots = rng.next() < 0.04 ? 2 ** drawInteger(40, 50) + drawInteger(0, 999) : drawInteger(1, 50);
    const limit = rng.next() < 0.5 ? drawInteger(800, 1200) : 0;
    const reduceOnly = leverage[instrumentIndex]! > 0 && rng.next() < 0.1;
    const order = new PlainOrder(instruments, {
      instrumentIndex,
      strategy: strategyIndex,
      side: rng.next() < 0.6 ? 'buy' : 'sell',
      lots,
      limit,
      reduceOnly,
    });
    const price = prices[instrumentIndex]!;
    reservations.assess(order, Number.isNaN(price) ? 1000 : price);
    return order;
  };
  const fill = (order: PlainOrder) => {
    const { instrumentIndex, strategy, side } = order;
    const lots = drawInteger(1, order.lots - order.filledLots);
    if (lots > 1000 || order.reduceOnly) return;
    if (side === 'sell' && leverage[instrumentIndex] === 0 && ledger.lots(strategy, instrumentIndex) < lots) return;
    order.execute(lots, lots * 100);
    ledger.fill(strategy, instrumentIndex, side === 'buy', fillOf({ price: 1000, lots, notional: lots * 100 }), false);
    reservations.fill(order);
    if (!order.isReserved) openOrders.splice(openOrders.indexOf(order), 1);
  };
  /** Changes a price, or adds, fills or releases an order. Returns true when it has changed a price. */
  const takeStep = () => {
    const draw = rng.next();
    const orderIndex = drawInteger(0, openOrders.length - 1);
    if (draw < 0.2) prices[drawInteger(0, prices.length - 1)] = rng.next() < 0.1 ? NaN : drawInteger(900, 1100);
    else if (draw < 0.6 || openOrders.length === 0) reservations.add(openOrders[openOrders.push(drawOrder()) - 1]!);
    else if (draw < 0.85) fill(openOrders[orderIndex]!);
    else reservations.release(openOrders.splice(orderIndex, 1)[0]!);
    return draw < 0.2;
  };
  return { reservations, prices, drawOrder, takeStep };
}

const ACCOUNTS: Record<string, () => [Ledger, (strategyIndex: number, units: number) => void]> = {
  spot: () => {
    const ledger = new SpotLedger(COINS, 2);
    return [ledger, (strategy, units) => ledger.deposit(strategy, 'USDT', units)];
  },
  futures: () => {
    const ledger = new FuturesLedger(CONTRACTS, 2, margin);
    return [ledger, (strategy, units) => ledger.deposit(strategy, 'USDT', units)];
  },
  both: () => {
    const ledger = new PairedLedger([...CONTRACTS, ...COINS], 2, margin);
    const deposit = (strategyIndex: number, units: number) => {
      for (const market of ['spot', 'futures'] as const) ledger.ledgerOfMarket(market).deposit(strategyIndex, 'USDT', units);
    };
    return [ledger, deposit];
  },
};

test.each(Object.keys(ACCOUNTS))(
  'the running worst case in random histories on %s equals a sum over all instruments for every order',
  (market) => {
    let finiteCount = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const [ledger, deposit] = ACCOUNTS[market]!();
      const { reservations, prices, drawOrder, takeStep } = randomAccount(seed, ledger, deposit);
      const model = exposureOf(ledger, reservations);
      const lastTicks = (index: number) => prices[index]!;
      const countedMarks = { lastTicks, changes: 0 };
      const worstCaseWith = (marks: RiskState['marks'], order: PlainOrder, mark: number) => {
        const { gross, equity } = model.computeWorstCase(order, { account: new AccountWorstCase(), marks, mark } as RiskState);
        return { gross, equity };
      };
      for (let stepIndex = 0; stepIndex < 150; stepIndex++) {
        // Several steps between two orders: the newest order may fill before it is counted.
        for (let remainingSteps = 1 + (stepIndex % 3); remainingSteps > 0; remainingSteps--) if (takeStep()) countedMarks.changes++;
        const order = drawOrder();
        const mark = prices[order.instrumentIndex]!;
        const running = worstCaseWith(countedMarks, order, mark);
        expect(running, `seed ${seed}, step ${stepIndex}`).toEqual(worstCaseWith({ lastTicks }, order, mark));
        if (Number.isFinite(running.gross)) finiteCount++;
      }
    }
    expect(finiteCount).toBeGreaterThan(1000);
  },
);
