// A bot that dies at a record of its journal and is started again does what the bot does that never died.

import { expect, test } from 'vitest';
import { lived, type LifetimeOptions, type LifetimeResult } from '../fixtures/killedLifetime.ts';
import { BuyOnce, Closures, Everything } from '../fixtures/statefulStrategies.ts';

/** All records in a campaign: ISOBAR_CASES=all. Otherwise `SOME` records of each lifetime. */
const ALL = process.env['ISOBAR_CASES'] === 'all';
const SOME = Number(process.env['ISOBAR_KILLS'] ?? 3);

/** What its strategies remember. Times and series are the engine's. */
const memory = ({ instances }: LifetimeResult): unknown => instances.map((instance) => JSON.stringify(instance, remembered));
function remembered(name: string, value: unknown): unknown {
  if (['bars', 'params', 'fast', 'up', 'sum'].includes(name)) return undefined;
  // Answers to several requests may come in another order.
  if (name === 'changes' && Array.isArray(value)) return value.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  return value instanceof Map ? [...value] : value;
}

/** A cancel leaves before its record lasts, so that a stop that waits for one may be numbered otherwise. */
const orders = ({ placed }: LifetimeResult): readonly string[] => placed.map((order) => order.slice(order.indexOf(' '))).toSorted();

/** Requests that were signed and never left: the exchange does not have them. */
function lost(killed: LifetimeResult, whole: LifetimeResult): readonly string[] {
  const has = new Set(orders(killed));
  return orders(whole).filter((order) => !has.has(order));
}

const seqsOf = ({ records }: LifetimeResult): readonly number[] => records.slice(1).map(({ seq }) => seq);

function chosen(seqs: readonly number[], from: number): readonly number[] {
  if (ALL) return seqs;
  const step = Math.max(1, Math.floor(seqs.length / SOME));
  return seqs.filter((_, at) => at % step === from % step);
}

interface Compared {
  readonly at: number;
  readonly kind: string;
  readonly lost: number;
  readonly message: string | null;
}

async function compared(options: LifetimeOptions, whole: LifetimeResult, at: number): Promise<Compared> {
  const kind = whole.records.find(({ seq }) => seq === at)!.k;
  try {
    const killed = await lived({ ...options, kills: [at] });
    if (killed.starts !== 2) return { at, kind, lost: 0, message: `${killed.starts} starts` };
    const missing = lost(killed, whole);
    // A request that was lost is answered by what becomes of the others: only the first part of the lifetime is the same then.
    if (missing.length > 0 && killed.records.some(({ k }) => k === 'TOMB')) return { at, kind, lost: missing.length, message: null };
    const differences = [
      JSON.stringify(orders(killed)) === JSON.stringify(orders(whole)) ? '' : `orders: ${JSON.stringify(killed.placed)}`,
      JSON.stringify(killed.balances) === JSON.stringify(whole.balances) ? '' : `balances: ${killed.balances.join(', ')}`,
      JSON.stringify(memory(killed)) === JSON.stringify(memory(whole)) ? '' : `memory: ${JSON.stringify(memory(killed))}`,
      killed.open.length === whole.open.length ? '' : `open: ${killed.open.join(', ')}`,
    ].filter((text) => text !== '');
    return { at, kind, lost: 0, message: differences.length === 0 ? null : differences.join('\n') };
  } catch (error) {
    return { at, kind, lost: 0, message: String(error instanceof Error ? error.stack : error) };
  }
}

test.each([
  { strategies: [Everything], bars: 16, seed: 1 },
  { strategies: [BuyOnce, Closures], bars: 12, seed: 2 },
])(
  'killed at any record, $bars bars: orders, balances and memory are those of the lifetime without a kill',
  async (options) => {
    const whole = await lived(options);
    expect(whole.starts).toBe(1);
    expect(whole.placed.length).toBeGreaterThan(5);
    const differing: Compared[] = [];
    let lostOnes = 0;
    const points = chosen(seqsOf(whole), options.seed);
    for (const at of points) {
      const found = await compared(options, whole, at);
      lostOnes += found.lost;
      if (found.message !== null) differing.push(found);
      if (ALL) console.log(at, found.kind, found.lost, found.message ?? 'equal');
    }
    console.log(`${points.length} kills of ${options.strategies.map(({ name }) => name).join(', ')}, ${lostOnes} requests lost`);
    expect(differing.map(({ at, kind, message }) => `${at} ${kind}: ${message}\nwhole: ${JSON.stringify(whole.placed)} ${JSON.stringify(memory(whole))}`)).toEqual([]); // prettier-ignore
  },
  3_000_000,
);
