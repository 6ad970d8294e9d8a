// Tests a bot that is killed at a record of its journal and restarted: it does the same as a bot that was never killed.

import { expect, test } from 'vitest';
import { driveLifetime, type LifetimeOptions, type LifetimeResult } from '../fixtures/killedLifetime.ts';
import { BuyOnce, Closures, Everything } from '../fixtures/statefulStrategies.ts';

/** ISOBAR_CASES=all kills at every record, for a campaign. Otherwise the bot is killed at about `KILLS` records, evenly spread. */
const KILLS_EVERYWHERE = process.env['ISOBAR_CASES'] === 'all';
const KILLS = Number(process.env['ISOBAR_KILLS'] ?? 3);

/** Returns the fields of the strategies as text, without the times and series that the engine sets. */
const fieldsOf = ({ instances }: LifetimeResult): unknown => instances.map((instance) => JSON.stringify(instance, comparableField));
/** Returns a field of a strategy for a comparison. Undefined: the field is not compared. */
function comparableField(name: string, field: unknown): unknown {
  if (['bars', 'params', 'fast', 'up', 'sum'].includes(name)) return undefined;
  // Replies to several requests may come in another order.
  if (name === 'changes' && Array.isArray(field)) return field.map(String).toSorted();
  return field instanceof Map ? [...field] : field;
}

/** Returns the orders without their numbers, sorted. A kill may change the number of a stop that waits for a cancel. */
const ordersOf = ({ placed }: LifetimeResult): readonly string[] => placed.map((order) => order.slice(order.indexOf(' '))).toSorted();

/** Returns the orders that only the lifetime without a kill has: their requests were signed and never left. */
function lostOrders(killed: LifetimeResult, unkilled: LifetimeResult): readonly string[] {
  const ordersOfKilled = new Set(ordersOf(killed));
  return ordersOf(unkilled).filter((order) => !ordersOfKilled.has(order));
}

/** Returns the numbers of all records but the first. */
const seqsOf = ({ records }: LifetimeResult): readonly number[] => records.slice(1).map(({ seq }) => seq);

/** Returns the numbers of the records at which the bot is killed: all, or every n-th one. `offset` selects the first. */
function killSeqsOf(seqs: readonly number[], offset: number): readonly number[] {
  if (KILLS_EVERYWHERE) return seqs;
  const recordsPerKill = Math.max(1, Math.floor(seqs.length / KILLS));
  return seqs.filter((_, index) => index % recordsPerKill === offset % recordsPerKill);
}

/** The result of one kill. `message` is null when the lifetimes are equal. */
interface KillResult {
  /** Number of the record at which the bot was killed. */
  readonly seq: number;
  /** Kind of the record. */
  readonly kind: string;
  /** Number of requests that were lost with the process. */
  readonly lostCount: number;
  readonly message: string | null;
}

/** Returns what a killed lifetime has where it differs from one without a kill; null if both are equal. */
function differencesOf(killed: LifetimeResult, unkilled: LifetimeResult): string | null {
  const isEqual = (part: (lifetime: LifetimeResult) => unknown) => JSON.stringify(part(killed)) === JSON.stringify(part(unkilled));
  const differences: string[] = [];
  if (!isEqual(ordersOf)) differences.push(`orders: ${JSON.stringify(killed.placed)}`);
  if (!isEqual(({ balances }) => balances)) differences.push(`balances: ${killed.balances.join(', ')}`);
  if (!isEqual(fieldsOf)) differences.push(`memory: ${JSON.stringify(fieldsOf(killed))}`);
  if (!isEqual(({ open }) => open.length)) differences.push(`open: ${killed.open.join(', ')}`);
  return differences.length === 0 ? null : differences.join('\n');
}

/** Kills the bot at a record and compares its lifetime with the one without a kill. */
async function compareKilled(options: LifetimeOptions, unkilled: LifetimeResult, killSeq: number): Promise<KillResult> {
  const kind = unkilled.records.find(({ seq }) => seq === killSeq)!.k;
  try {
    const killed = await driveLifetime({ ...options, kills: [killSeq] });
    if (killed.starts !== 2) return { seq: killSeq, kind, lostCount: 0, message: `${killed.starts} starts` };
    const missing = lostOrders(killed, unkilled);
    // A lost request changes the decisions after it, so only the first part of the lifetimes could be equal.
    if (missing.length > 0 && killed.records.some(({ k }) => k === 'TOMB'))
      return { seq: killSeq, kind, lostCount: missing.length, message: null };
    return { seq: killSeq, kind, lostCount: 0, message: differencesOf(killed, unkilled) };
  } catch (error) {
    return { seq: killSeq, kind, lostCount: 0, message: String(error instanceof Error ? error.stack : error) };
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
    const killSeqs = killSeqsOf(seqsOf(unkilled), options.seed);
    for (const killSeq of killSeqs) {
      const killResult = await compareKilled(options, unkilled, killSeq);
      lostCount += killResult.lostCount;
      if (killResult.message !== null) differing.push(killResult);
      if (KILLS_EVERYWHERE) console.log(killSeq, killResult.kind, killResult.lostCount, killResult.message ?? 'equal');
    }
    console.log(`${killSeqs.length} kills of ${options.strategies.map(({ name }) => name).join(', ')}, ${lostCount} requests lost`);
    const reports = differing.map(({ seq, kind, message }) => `${seq} ${kind}: ${message}`);
    expect(reports, `without a kill: ${JSON.stringify(unkilled.placed)} ${JSON.stringify(fieldsOf(unkilled))}`).toEqual([]);
  },
  3_000_000,
);
