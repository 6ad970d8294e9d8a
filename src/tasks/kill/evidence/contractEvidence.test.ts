// Tests how a kill counts the second copies of orders of contracts.

import { expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { booksOf, type BookedOrder } from '../../../../test/fixtures/killBooks.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { KillEvidenceReader } from './evidenceReader.ts';

const SIGNED_MS = 1_000_000;
/** Later than every absence horizon. */
const NOW_MS = SIGNED_MS + 300_000;

it('contracts opened by a second copy of an order belong to the account, and contracts closed by one no longer belong to the bot', async () => {
  const id = PERPETUAL.wireName;
  const order = (orderId: string, clientId: string, openOrClose: 'OPEN' | 'CLOSE', side: 'buy' | 'sell') => ({
    orderId,
    clientId,
    openOrClose,
    side,
    contractName: id,
    price: '60000',
    volume: '10',
    dealVolume: '10',
    type: { word: 'LIMIT', raw: 1 },
    status: { word: 'FILLED', raw: 2 },
    ctimeMs: SIGNED_MS + 500,
  });
  const fill = (tradeId: string, orderId: string, side: 'buy' | 'sell') => ({
    contractName: id,
    tradeId,
    side,
    price: '60000',
    quantity: '10',
    fee: '0',
    feeCoin: 'USDT',
    isBuyer: side === 'buy',
    isMaker: false,
    bidId: side === 'buy' ? orderId : '900',
    askId: side === 'sell' ? orderId : '900',
    timeMs: SIGNED_MS + 1000,
  });
  const answers: Readonly<Record<string, unknown>> = {
    'futures.openOrders': { rows: [], refused: [] },
    'futures.orderHistory': {
      rows: [
        order('4', 'OUT', 'CLOSE', 'buy'),
        order('3', 'OUT', 'CLOSE', 'buy'),
        order('2', 'IN', 'OPEN', 'sell'),
        order('1', 'IN', 'OPEN', 'sell'),
      ],
      refused: [],
    },
    'futures.myTrades': {
      rows: [fill('14', '4', 'buy'), fill('13', '3', 'buy'), fill('12', '2', 'sell'), fill('11', '1', 'sell')],
      refused: [],
    },
  };
  const client = {
    call: (op: string, _: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done({ kind: 'acked', value: answers[op] ?? null }));
      return { cancel: () => {} };
    },
  };
  const serverTime = (): object => ({ ms: NOW_MS, uncertaintyMs: 10 });
  const scheduler = new DueQueue();
  const deps = { client, scheduler, settings: KILL_SETTINGS, instruments: [PERPETUAL], serverTime, onPhase: () => {} };
  const heldAfter = async (...orders: readonly BookedOrder[]): Promise<string | undefined> => {
    const evidenceReader = new KillEvidenceReader(new KillVenue(deps as never), booksOf([PERPETUAL], orders, NOW_MS));
    return (await evidenceReader.read(PERPETUAL)).held.get(0)?.low.toFixed();
  };
  const entry = { cid: 'IN', instrument: PERPETUAL, side: 'sell', qty: '10', price: '60000', orderId: '1', signMs: SIGNED_MS } as const;
  expect(await heldAfter(entry)).toBe('-10');
  // The exit and its copy have both closed 10.
  expect(await heldAfter(entry, { ...entry, cid: 'OUT', side: 'buy', orderId: '3', reduceOnly: true })).toBe('10');
});
