// Tests a bot that is killed at a record of its journal and restarted: it does the same as a bot that was never killed.

import { expect, test } from 'vitest';
import { driveLifetime, type LifetimeOptions, type LifetimeResult } from '../fixtures/killedLifetime.ts';
import { BuyOnce, Closures, Everything } from '../fixtures/statefulStrategies.ts';

/** ISOBAR_CASES=all kills at every record, for a campaign. Otherwise `KILLS` records of each lifetime are drawn. */
const ALL = process.env['ISOBAR_CASES'] === 'all';
const KILLS = Number(process.env['ISOBAR_KILLS'] ?? 3);

/** Returns the fields of the strategies as text, without the times and series that the engine sets. */
const memory = ({ instances }: LifetimeResult): unknown => instances.map((instance) => JSON.stringify(instance, memoryField));
/** Returns a field of a strategy for a comparison. Undefined: the field is not compared. */
function memoryField(name: string, value: unknown): unknown {
  if (['bars', 'params', 'fast', 'up', 'sum'].includes(name)) return undefined;
  // Replies to several requests may come in another order.
  if (name === 'changes' && Array.isArray(value)) return value.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  return value instanceof Map ? [...value] : value;
}

/** Returns the orders without their numbers, sorted. A kill may change the number of a stop that waits for a cancel. */
const orders = ({ placed }: LifetimeResult): readonly string[] => placed.map((order) => order.slice(order.indexOf(' '))).toSorted();

/** Returns the orders that only the lifetime without a kill has: their requests were signed and never left. */
function lostOrders(killed: LifetimeResult, unkilled: LifetimeResult): readonly string[] {
  const has = new Set(orders(killed));
  return orders(unkilled).filter((order) => !has.has(order));
}

const seqsOf = ({ records }: LifetimeResult): readonly number[] => records.slice(1).map(({ seq }) => seq);

/** Returns the records at which the bot is killed: all, or every n-th one. */
function killPoints(seqs: readonly number[], from: number): readonly number[] {
  if (ALL) return seqs;
  const step = Math.max(1, Math.floor(seqs.length / KILLS));
  return seqs.filter((_, index) => index % step === from % step);
}

/** The result of one kill. `message` is null when the lifetimes are equal. */
interface KillResult {
  readonly seq: number;
  readonly kind: string;
  readonly lost: number;
  readonly message: string | null;
}

/** Kills the bot at a record and compares its lifetime with the one without a kill. */
async function compareKilled(options: LifetimeOptions, unkilled: LifetimeResult, killSeq: number): Promise<KillResult> {
  const kind = unkilled.records.find(({ seq }) => seq === killSeq)!.k;
  try {
    const killed = await driveLifetime({ ...options, kills: [killSeq] });
    if (killed.starts !== 2) return { seq: killSeq, kind, lost: 0, message: `${killed.starts} starts` };
    const missing = lostOrders(killed, unkilled);
    // A lost request changes the decisions after it, so only the first part of the lifetimes could be equal.
    if (missing.length > 0 && killed.records.some(({ k }) => k === 'TOMB'))
      return { seq: killSeq, kind, lost: missing.length, message: null };
    const differences = [
      JSON.stringify(orders(killed)) === JSON.stringify(orders(unkilled)) ? '' : `orders: ${JSON.stringify(killed.placed)}`,
      JSON.stringify(killed.balances) === JSON.stringify(unkilled.balances) ? '' : `balances: ${killed.balances.join(', ')}`,
      JSON.stringify(memory(killed)) === JSON.stringify(memory(unkilled)) ? '' : `memory: ${JSON.stringify(memory(killed))}`,
      killed.open.length === unkilled.open.length ? '' : `open: ${killed.open.join(', ')}`,
    ].filter((text) => text !== '');
    return { seq: killSeq, kind, lost: 0, message: differences.length === 0 ? null : differences.join('\n') };
  } catch (error) {
    return { seq: killSeq, kind, lost: 0, message: String(error instanceof Error ? error.stack : error) };
  }
}

test.each([
  { strategies: [Everything], bars: 16, seed: 1 },
  { strategies: [BuyOnce, Closures], bars: 12, seed: 2 },
])(
  'a bot that is killed at any record in $bars bars has the orders, balances and memory of a bot without a kill',
  async (options) => {
    const unkilled = await driveLifetime(options);
    expect(unkilled.starts).toBe(1);
    expect(unkilled.placed.length).toBeGreaterThan(5);
    const differing: KillResult[] = [];
    let lostCount = 0;
    const points = killPoints(seqsOf(unkilled), options.seed);
    for (const killSeq of points) {
      const result = await compareKilled(options, unkilled, killSeq);
      lostCount += result.lost;
      if (result.message !== null) differing.push(result);
      if (ALL) console.log(killSeq, result.kind, result.lost, result.message ?? 'equal');
    }
    console.log(`${points.length} kills of ${options.strategies.map(({ name }) => name).join(', ')}, ${lostCount} requests lost`);
    const reports = differing.map(({ seq, kind, message }) => `${seq} ${kind}: ${message}`);
    expect(reports, `without a kill: ${JSON.stringify(unkilled.placed)} ${JSON.stringify(memory(unkilled))}`).toEqual([]);
  },
  3_000_000,
);
