// The faults of a run: what the exchange and the network do wrong meanwhile, what else happens, and what a person has to clear.

import type { Market } from '../../src/model/instrument.ts';
import type { FaultRow, PaperExchange } from './paperExchange.ts';

/** When an act of a fault happens. All ms are of the exchange. */
export interface Moment {
  /** Counts from 1 to ACTS. */
  readonly turn: number;
  /** The longest time that an outcome was unknown in earlier runs (ms): what is lost for good takes longest. */
  readonly maxUnknownMs: number;
  /** Called with how long the effect of the act lasts (ms), also once all orders are sent. */
  readonly goesOn: (ms: number) => void;
}

export interface FaultCase {
  readonly name: string;
  readonly market: Market;
  readonly schedule: readonly FaultRow[];
  /** Happens now and then while the script runs. */
  readonly act?: (exchange: PaperExchange, moment: Moment) => Promise<void>;
  /** The exchange lasts on a disk. */
  readonly lasts?: boolean;
  /** Nothing fills. */
  readonly isCalm?: boolean;
  readonly profile?: Readonly<Record<string, string>>;
  /** Halts that the fault has to bring about, and that the person at the run clears. */
  readonly person?: readonly string[];
  /** Halts that it may bring about. */
  readonly perhaps?: readonly string[];
  /** Takes longer than others. */
  readonly isLong?: boolean;
  /** A delivery may carry out a create twice. The second order counts unless it was found and cancelled unfilled. */
  readonly doubles?: boolean;
}

const OPS: Readonly<Record<Market, { readonly create: string; readonly cancel: string; readonly reads: readonly string[] }>> = {
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
const { create, cancel, reads } = OPS.spot;

const spot = (name: string, schedule: readonly FaultRow[], more: Partial<FaultCase> = {}): FaultCase => ({
  name,
  market: 'spot',
  schedule,
  ...more,
});
/** The outcome is not reported. Codes that admit an internal delay make a proof take ten minutes. */
const unknown = (executed: 0 | 1, code: number, p: number): FaultRow => ({
  point: 'BUS.unknown',
  op: create,
  p,
  params: { executed, code },
});

const LOST_ANSWER: FaultRow = { point: 'NET.respDrop', op: create, p: 0.1 };

/** How often the fault acts, beside its schedule, while the script runs. */
export const ACTS = 6;
/**
 * No list shows anything new for a while, and every second reply to a create is lost. How long a proof takes depends on the age of the lists
 * until now, and so on how busy the computer is: this lasts twice as long as the longest proof until now.
 */
async function hide(exchange: PaperExchange, { turn, maxUnknownMs, goesOn }: Moment): Promise<void> {
  if (turn !== ACTS) return;
  const ms = Math.max(MIN_HIDDEN_MS, 2 * maxUnknownMs);
  goesOn(ms);
  await exchange.faults(turn, [
    { ...LOST_ANSWER, p: 0.5 },
    { point: 'READ.lag', op: create, nth: 1, params: { ms } },
  ]);
}
const MIN_HIDDEN_MS = 180_000;

export const FAULTS: readonly FaultCase[] = [
  spot('none', []),
  spot('lost request', [{ point: 'NET.reqDrop', op: create, p: 0.06 }]),
  spot('lost response', [{ point: 'NET.respDrop', op: create, p: 0.15 }]),
  spot('executed 504', [unknown(1, 504, 0.1)]),
  spot('unexecuted 504', [unknown(0, 504, 0.015)]),
  spot('-1006', [unknown(1, -1006, 0.05), unknown(0, -1006, 0.01)]),
  spot('-1007', [unknown(1, -1007, 0.05), unknown(0, -1007, 0.01)]),
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
  // The orders of lost answers stay out of sight for longer than they may: they are held to be without effect, and then they are there.
  // That lists can be so old a bot learns once, and waits accordingly from then on: hence only at the end.
  spot('landing after the proof', [LOST_ANSWER, { point: 'NET.reqDrop', op: create, p: 0.02 }], {
    isCalm: true,
    isLong: true,
    act: hide,
    person: ['LATE_LANDING'],
    // Orders that were acknowledged are not found by their ids either.
    perhaps: ['STATUS'],
  }),
  spot('duplicate delivery', [{ point: 'NET.dup', op: create, p: 0.05 }], { isCalm: true, person: ['DUPLICATE'], doubles: true }),
  // A second delivery is refused, and that is the answer that arrives.
  spot('duplicate refused', [{ point: 'NET.dup', op: create, p: 0.05 }], {
    profile: { replayedRequest: 'refuse' },
    person: ['LATE_LANDING'],
  }),
  spot(
    'stale reads',
    reads.map((op) => ({ point: 'READ.lag', op, p: 0.01, params: { ms: 2000 } })),
  ),
  spot('429', [{ point: 'GW.code', p: 0.005, params: { code: -1003 } }]),
  spot('418', [], { isLong: true, act: async ({ url }, { turn }) => (turn === 2 ? beBanned(url) : undefined) }),
  spot('clock skew', [], {
    act: (exchange, { turn }) => exchange.clock({ jumpMs: [1500, -1500, 3000, -3000, 12_000, -12_000][turn % 6]! }),
    // An order that is on its way when the clock jumps may be admitted outside of its window: nothing shows the contrary.
    perhaps: ['ADMISSION'],
  }),
  spot('cancel races', [
    { point: 'BUS.cancelDelay', op: cancel, p: 0.5, params: { ms: 15_000 } },
    { point: 'NET.respDrop', op: cancel, p: 0.1 },
    { point: 'NET.reqDrop', op: cancel, p: 0.1 },
    ...[-1145, -2013, -1112].map((code) => ({ point: 'GW.code', op: cancel, p: 0.05, params: { code } })),
  ]),
  spot('service restart', [], { lasts: true, act: (exchange, { turn }) => exchange.restart(turn * 3) }),
  {
    name: 'futures',
    market: 'futures',
    schedule: [
      { point: 'NET.reqDrop', op: OPS.futures.create, p: 0.03 },
      { point: 'NET.respDrop', op: OPS.futures.create, p: 0.08 },
      { point: 'NET.reqDelay', op: OPS.futures.create, p: 0.04, params: { ms: 4000 } },
      { point: 'NET.truncate', op: OPS.futures.create, p: 0.04, params: { bytes: 7 } },
      { point: 'BUS.cancelDelay', op: OPS.futures.cancel, p: 0.3, params: { ms: 10_000 } },
      ...OPS.futures.reads.map((op) => ({ point: 'NET.reqDrop', op, p: 0.02 })),
      { point: 'READ.lag', op: 'futures.myTrades', p: 0.01, params: { ms: 2000 } },
    ],
  },
];

/** Another client at the same address exceeds the public limits until the address is banned, and the bot with it. */
async function beBanned(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let round = 0; round < 100; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/sapi/v1/openOrders?symbol=AAAUSDT`, { headers })));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    if (answers.some(({ status }) => status === 418)) return;
  }
  throw new Error('the exchange bans no address');
}
