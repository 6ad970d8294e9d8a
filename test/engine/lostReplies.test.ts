// Tests create requests whose reply or request is lost, in a replay of the whole bot: what becomes of the order, its slot and its reservation.

import { describe, expect, it } from 'vitest';
import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import type { Order } from '../../src/model/order.ts';
import { ABSENT_HOLD_MS } from '../../src/orders/reserve/reservation.ts';
import { Strategy, type OrderInfo } from '../../src/index.ts';
import {
  barsOfRows,
  columnsOf,
  HUNDRED_LOTS,
  MINUTE,
  QUIET_ROW,
  quietRows,
  run,
  spotInstrument,
  type PriceRow,
} from './backtestFixture.ts';
import { faultOfOrder, runScript, type Script } from './reportingStrategy.ts';

describe('a lost reply', () => {
  const script: Script = { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }), 4: (strategy) => strategy.exitPosition() };
  const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9890, 9950], QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW];

  it.each([0, 20_000])('a lost reply passes through unknown and leaves no trace in money, latency %i', async (latencyMs) => {
    const clean = await runScript(script, rows, { fills: { latencyMs } });
    const lost = await runScript(script, rows, { fills: { latencyMs } }, faultOfOrder(1, 'lostAnswer'));
    expect(clean.fills).toHaveLength(2);
    expect(lost.fills).toEqual(clean.fills);
    expect(lost.engine.ledger.cashTotal).toBe(clean.engine.ledger.cashTotal);
    expect(lost.reported.filter((line) => line.startsWith('1 '))).toEqual(['1 unknown', '1 working', '1 done']);
    expect(clean.reported.filter((line) => line.startsWith('1 '))).toEqual(['1 working', '1 done']);
    expect([...lost.record.orders.wasUnknown]).toEqual([1, 0]);
    expect(lost.engine.orders.impossibleEvents).toBe(0);
    expect(lost.engine.risk.halts.causes()).toEqual([]);
  });

  it.each([
    ['one feed', {}],
    ['two instruments', { eth: barsOfRows(quietRows(6), spotInstrument('ETH')) }],
  ])('a lost reply does not call onBar a second time at the instant at which it is resolved: %s', async (_, overrides) => {
    const count = async (faultOf?: (order: Order) => ReplayFault) => {
      const { barCount } = await runScript(
        { 1: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }) },
        quietRows(6),
        { feeds: { bars: barsOfRows(quietRows(6)), ...overrides } },
        faultOf,
      );
      return barCount;
    };
    expect(await count()).toBe(6);
    expect(await count(() => 'lostAnswer')).toBe(6);
    expect(await count(() => 'lostRequest')).toBe(6);
  });

  it('a lost reply of a market order is found before it has filled', async () => {
    const { reported, fills } = await runScript(
      { 0: (strategy) => strategy.order('buy', { quote: '50' }) },
      quietRows(3),
      { fills: { latencyMs: 1000 } },
      () => 'lostAnswer',
    );
    expect(fills).toHaveLength(1);
    expect(reported).toEqual(['1 unknown', '1 working', '1 working', '1 done']);
  });

  it('a refused order whose reply is lost ends without effect', async () => {
    // The venue refuses an approved order only if its books differ. Here it never sees the order.
    const { orders, reported } = await runScript(
      { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }) },
      quietRows(4),
      {},
      () => 'lostRequest',
    );
    expect(orders[0]).toMatchObject({ ending: 'noEffect', filled: 0 });
    expect(reported).toEqual(['1 unknown', '1 done']);
  });

  it('a lost reply does not keep an order from being cancelled', async () => {
    const cancelled = await runScript(
      { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }), 1: (strategy) => strategy.cancelOrder(1) },
      quietRows(4),
      {},
      faultOfOrder(1, 'lostAnswer'),
    );
    expect(cancelled.orders[0]!.ending).toBe('canceled');
    expect(cancelled.engine.reservations.openOrdersTotal).toBe(0);
  });

  it('a lost reply does not keep a buy at the collar from being cancelled after its row', async () => {
    const rising: PriceRow[] = [QUIET_ROW, [10_200, 10_210, 10_190, 10_200], [10_200, 10_210, 10_190, 10_200], QUIET_ROW, QUIET_ROW];
    const { orders } = await runScript({ 0: (strategy) => strategy.order('buy', HUNDRED_LOTS) }, rising, {}, faultOfOrder(1, 'lostAnswer'));
    expect(orders[0]).toMatchObject({ ending: 'canceled', filled: 0 });
  });

  it('an order with a lost reply blocks its side of the symbol until it is resolved', async () => {
    const codes: (string | null)[] = [];
    class PlacesThree extends Strategy {
      row = 0;
      override onBar() {
        if (this.row++ !== 0) return;
        this.buy(HUNDRED_LOTS, { limit: 99, tag: 'a' });
        this.buy(HUNDRED_LOTS, { limit: 98, tag: 'b' });
        this.sell(HUNDRED_LOTS, { limit: 110, tag: 'c' });
      }
      override onOrder({ code }: OrderInfo) {
        if (code !== null) codes.push(code);
      }
    }
    await run({ strategies: [PlacesThree], feeds: { bars: barsOfRows(quietRows(3)) } }, { faultOf: faultOfOrder(1, 'lostAnswer') });
    expect(codes).toEqual(['SIDE_UNKNOWN', 'UNKNOWN_OUTCOME']);
  });
});

describe('a lost request', () => {
  it('a lost request ends without effect, and its quantity stays reserved as an absent hold', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
      1: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 98 }),
    };
    const { engine, orders, reported } = await runScript(script, quietRows(3), {}, faultOfOrder(1, 'lostRequest'));
    expect(reported[0]).toBe('1 unknown');
    expect(orders.map(({ ending }) => ending)).toEqual(['noEffect', 'open']);
    expect(engine.reservations.holdsAbsent).toBe(true);
    expect(engine.reservations.buyLots(0, 0)).toBe(200);
    expect(engine.reservations.openOrdersTotal).toBe(2);
  });

  it('a lost request frees the slot at once and the reservation after half an hour', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: 'same' }),
      1: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 98, tag: 'same' }),
      [minutes + 1]: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 97, tag: 'other' }),
    };
    const { engine, orders } = await runScript(script, quietRows(minutes + 4), {}, faultOfOrder(1, 'lostRequest'));
    expect(orders.map(({ ending }) => ending)).toEqual(['noEffect', 'open', 'open']);
    expect(engine.reservations.holdsAbsent).toBe(false);
    expect(engine.reservations.buyLots(0, 0)).toBe(200);
  });

  it('a lost request of a stop leg leaves the position protected: the stop is sent again when the lost one can no longer arrive', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const low = Array.from({ length: minutes + 3 }, (): PriceRow => [9890, 9900, 9870, 9880]);
    const rows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9890, 9900], ...low];
    const { fills } = await runScript(
      { 0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { stopLoss: 99 }) },
      rows,
      {},
      faultOfOrder(2, 'lostRequest'),
    );
    // The request is lost at the close of row 2. The row that closes half an hour later opens below the stop.
    expect(fills.map(({ side, minute }) => [side, minute])).toEqual([['buy', 1], ['sell', 2 + minutes]]); // prettier-ignore
  });

  it('a lost request of an exit is followed by the exit that was asked for meanwhile', async () => {
    const minutes = ABSENT_HOLD_MS / MINUTE;
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS),
      2: (strategy) => strategy.exitPosition(),
      5: (strategy) => strategy.exitPosition(),
    };
    const { fills } = await runScript(script, quietRows(minutes + 9), {}, faultOfOrder(2, 'lostRequest'));
    expect(fills.map(({ side, minute }) => [side, minute])).toEqual([['buy', 1], ['sell', 3 + minutes]]); // prettier-ignore
  });
});

it('two runs of one plan with lost replies have equal results', async () => {
  const script: Script = {
    0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
    2: (strategy) => strategy.order('buy', { quote: '70' }),
    4: (strategy) => strategy.exitPosition(),
  };
  const firstRun = await runScript(script, quietRows(8), {}, faultOfOrder(1, 'lostAnswer'));
  const secondRun = await runScript(script, quietRows(8), {}, faultOfOrder(1, 'lostAnswer'));
  expect(columnsOf(secondRun.record)).toEqual(columnsOf(firstRun.record));
});
