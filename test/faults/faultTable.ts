// Lists the faults of `npm run faults`: the schedule of each, its acts, and the halts that the operator must clear.

import type { Market } from '../../src/model/instrument.ts';
import type { FaultRow, PaperExchange } from './paperExchange.ts';

/** The state of a run when an act of its fault happens. All ms are venue time. */
export interface ActContext {
  /** Number of the act, from 1 to ACTS. */
  readonly turn: number;
  /** Longest time that an outcome was unknown until now, ms. */
  readonly maxUnknownMs: number;
  /** Reports how long the effect of the act lasts, ms. The run waits for its end. */
  readonly reportDuration: (ms: number) => void;
}

/** One fault: how the exchange or the network fails, and what the operator must do afterwards. */
export interface FaultCase {
  readonly name: string;
  readonly market: Market;
  readonly schedule: readonly FaultRow[];
  /** Called ACTS times while the script runs, at regular numbers of orders. */
  readonly act?: (exchange: PaperExchange, moment: ActContext) => Promise<void>;
  /** True if the exchange stores its state on a disk. */
  readonly isPersistent?: boolean;
  /** True if no order fills. */
  readonly isCalm?: boolean;
  readonly profile?: Readonly<Record<string, string>>;
  /** Codes of halts that the fault must cause. The operator of the run clears them. */
  readonly requiredHalts?: readonly string[];
  /** Codes of halts that the fault may cause. */
  readonly possibleHalts?: readonly string[];
  /** True for a fault that takes longer than others. */
  readonly isLong?: boolean;
  /** True if the exchange may carry out a create twice. A second order counts unless it was cancelled unfilled. */
  readonly mayDuplicate?: boolean;
}

const OPERATIONS: Readonly<Record<Market, { readonly create: string; readonly cancel: string; readonly reads: readonly string[] }>> = {
  spot: {
    create: 'spot.newOrder',
    cancel: 'spot.cancelOrder',
    reads: ['spot.openOrders', 'spot.myTrades', 'spot.account', 'spot.queryOrder'],
  },
  futures: {
    create: 'futures.createOrder',
    cancel: 'futures.cancelOrder',
    reads: ['openOrders', 'myTrades', 'orderHistory', 'positions', 'orderInformation'].map((name) => `futures.${name}`),
  },
};
const { create, cancel, reads } = OPERATIONS.spot;

/** Returns a fault of a spot run. */
const spot = (name: string, schedule: readonly FaultRow[], options: Partial<FaultCase> = {}): FaultCase => ({
  name,
  market: 'spot',
  schedule,
  ...options,
});

/** Returns a fault whose reply does not report the outcome. After codes that admit an internal delay a proof takes ten minutes. */
const unknownOutcome = (executed: 0 | 1, code: number, p: number): FaultRow => ({
  point: 'BUS.unknown',
  op: create,
  p,
  params: { executed, code },
});

const LOST_REPLY: FaultRow = { point: 'NET.respDrop', op: create, p: 0.1 };

/** Number of acts of a fault while the script runs. */
export const ACTS = 6;
/** Minimum time for which new orders are hidden, ms. */
const MIN_HIDDEN_MS = 180_000;

/**
 * Hides all new orders from the lists, and loses every second reply to a create. It lasts twice as long as the longest proof until now,
 * because the duration of a proof depends on how busy the computer is.
 */
async function hideNewOrders(exchange: PaperExchange, { turn, maxUnknownMs, reportDuration }: ActContext): Promise<void> {
  if (turn !== ACTS) return;
  const ms = Math.max(MIN_HIDDEN_MS, 2 * maxUnknownMs);
  reportDuration(ms);
  await exchange.faults(turn, [
    { ...LOST_REPLY, p: 0.5 },
    { point: 'READ.lag', op: create, nth: 1, params: { ms } },
  ]);
}

/** All faults, in the order in which they run. */
export const FAULTS: readonly FaultCase[] = [
  spot('none', []),
  spot('lost request', [{ point: 'NET.reqDrop', op: create, p: 0.06 }]),
  spot('lost response', [{ point: 'NET.respDrop', op: create, p: 0.15 }]),
  spot('executed 504', [unknownOutcome(1, 504, 0.1)]),
  spot('unexecuted 504', [unknownOutcome(0, 504, 0.015)]),
  spot('-1006', [unknownOutcome(1, -1006, 0.05), unknownOutcome(0, -1006, 0.01)]),
  spot('-1007', [unknownOutcome(1, -1007, 0.05), unknownOutcome(0, -1007, 0.01)]),
  spot('reset', [
    { point: 'NET.reqDrop', p: 0.03 },
    { point: 'NET.respDrop', p: 0.03 },
  ]),
  spot('truncation', [
    { point: 'NET.truncate', p: 0.06, params: { bytes: 7 } },
    { point: 'NET.replace', op: create, p: 0.03, params: { status: 502, body: '<html>bad gateway</html>' } },
    { point: 'NET.replace', op: create, p: 0.03, params: { status: 200, body: '{}' } },
  ]),
  spot('late landing', [
    { point: 'NET.reqDelay', op: create, p: 0.08, params: { ms: 4000 } },
    { point: 'NET.reqDelay', op: create, p: 0.04, params: { ms: 5200 } },
    { point: 'BUS.delay', op: create, p: 0.1, params: { ms: 20_000 } },
  ]),
  // Orders of lost replies stay hidden for longer than assumed: they are proven absent, and arrive later.
  // The bot learns the age of the lists once and then waits longer, so this happens only in the last act.
  spot('landing after the proof', [LOST_REPLY, { point: 'NET.reqDrop', op: create, p: 0.02 }], {
    isCalm: true,
    isLong: true,
    act: hideNewOrders,
    requiredHalts: ['LATE_LANDING'],
    // Acknowledged orders are not found by their ids either.
    possibleHalts: ['STATUS'],
  }),
  spot('duplicate delivery', [{ point: 'NET.dup', op: create, p: 0.05 }], {
    isCalm: true,
    requiredHalts: ['DUPLICATE'],
    mayDuplicate: true,
  }),
  // The exchange refuses the second delivery, and only this reply arrives.
  spot('duplicate refused', [{ point: 'NET.dup', op: create, p: 0.05 }], {
    profile: { replayedRequest: 'refuse' },
    requiredHalts: ['LATE_LANDING'],
  }),
  spot(
    'stale reads',
    reads.map((op) => ({ point: 'READ.lag', op, p: 0.01, params: { ms: 2000 } })),
  ),
  spot('429', [{ point: 'GW.code', p: 0.005, params: { code: -1003 } }]),
  spot('418', [], { isLong: true, act: async ({ url }, { turn }) => (turn === 2 ? exceedPublicLimits(url) : undefined) }),
  spot('clock skew', [], {
    act: (exchange, { turn }) => exchange.clock({ jumpMs: [1500, -1500, 3000, -3000, 12_000, -12_000][turn % 6]! }),
    // An order in flight when the clock jumps may be admitted outside its window. No evidence excludes that.
    possibleHalts: ['ADMISSION'],
  }),
  spot('cancel races', [
    { point: 'BUS.cancelDelay', op: cancel, p: 0.5, params: { ms: 15_000 } },
    { point: 'NET.respDrop', op: cancel, p: 0.1 },
    { point: 'NET.reqDrop', op: cancel, p: 0.1 },
    ...[-1145, -2013, -1112].map((code) => ({ point: 'GW.code', op: cancel, p: 0.05, params: { code } })),
  ]),
  spot('service restart', [], { isPersistent: true, act: (exchange, { turn }) => exchange.restart(turn * 3) }),
  {
    name: 'futures',
    market: 'futures',
    schedule: [
      { point: 'NET.reqDrop', op: OPERATIONS.futures.create, p: 0.03 },
      { point: 'NET.respDrop', op: OPERATIONS.futures.create, p: 0.08 },
      { point: 'NET.reqDelay', op: OPERATIONS.futures.create, p: 0.04, params: { ms: 4000 } },
      { point: 'NET.truncate', op: OPERATIONS.futures.create, p: 0.04, params: { bytes: 7 } },
      { point: 'BUS.cancelDelay', op: OPERATIONS.futures.cancel, p: 0.3, params: { ms: 10_000 } },
      ...OPERATIONS.futures.reads.map((op) => ({ point: 'NET.reqDrop', op, p: 0.02 })),
      { point: 'READ.lag', op: 'futures.myTrades', p: 0.01, params: { ms: 2000 } },
    ],
  },
];

/** Another client at the same address exceeds the public limits until the address is banned, and the bot with it. */
async function exceedPublicLimits(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let round = 0; round < 100; round++) {
    const replies = await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/sapi/v1/openOrders?symbol=AAAUSDT`, { headers })));
    await Promise.all(replies.map((answer) => answer.arrayBuffer()));
    if (replies.some(({ status }) => status === 418)) return;
  }
  throw new Error('the exchange bans no address');
}
