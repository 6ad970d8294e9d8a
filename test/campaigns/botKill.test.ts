// Kills of a live bot under load, at random instants and at each kind of record: nothing is sent twice, nothing is lost, and the books are
// exact.

import { expect, test } from 'vitest';
import { RECORD_KINDS, type RecordKind } from '../../src/adapters/journal/records/records.ts';
import { progressLine } from '../../src/cli/terminal/progressLine.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { Step } from '../kills/botWorld.ts';
import { BotKiller, type BotKills } from '../kills/killBot.ts';

/** `npm run campaign -- botKill` sets both, and wants to read what was found. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const SEED = Number(ISOBAR_SEED ?? 1);
const KILLS = Math.min(Number(ISOBAR_CASES ?? 0), 200);
/** A campaign has time for a computer that is slow now and then. */
const SPEED = isCampaign ? 20 : 40;
const WEEK_MS = 604_800_000;

const STEPS: readonly Step[] = ['before', 'torn', 'written', 'lasting'];
/** Those that spot has no cause to write. */
const OF_FUTURES: ReadonlySet<RecordKind> = new Set<RecordKind>(['SETTING', 'FUNDED', 'RATES']);
/** These bots have no external series: test/live/seriesKilled.test.ts kills one that has. */
const OF_OTHERS: ReadonlySet<string> = new Set<RecordKind>(['SERIES']);
const isKind = (name: string): name is RecordKind => Object.hasOwn(RECORD_KINDS, name);

/** One bot on one exchange, that is killed again and again. */
interface Chain {
  readonly name: string;
  readonly market: Market;
  readonly seed: number;
  /** At random instants. */
  readonly kills: number;
  readonly places: readonly (readonly [RecordKind, Step])[];
}

/** Kills of one bot: its journal becomes long, and a chain that failed is soon repeated. */
const LENGTH = 25;
/** Every fourth chain trades contracts. */
const MARKETS: readonly Market[] = ['spot', 'spot', 'futures', 'spot'];

const random = Array.from({ length: Math.ceil(KILLS / LENGTH) }, (_, at): Chain => {
  const [seed, kills] = [SEED + at, Math.min(LENGTH, KILLS - at * LENGTH)];
  const market = MARKETS[(seed - 1) % MARKETS.length]!;
  return { name: `${kills} kills at random instants (${market}, seed ${seed})`, market, seed, kills, places: [] };
});

/** Each kind once; another seed strikes it at another step. */
const everyKind = Object.keys(RECORD_KINDS)
  .filter(isKind)
  .filter((kind) => !OF_OTHERS.has(kind))
  .map((kind, at): Chain => {
    const step = STEPS[(SEED + at) % STEPS.length]!;
    const market = OF_FUTURES.has(kind) ? 'futures' : 'spot';
    return { name: `kill at ${kind}, ${step} (${market}, seed ${SEED})`, market, seed: SEED, kills: 0, places: [[kind, step]] };
  });

/** In the suite those two at which an order would be lost, or money. */
const short: Chain = { name: 'kills at SEND and FILL', market: 'spot', seed: SEED, kills: 0, places: [['SEND', 'lasting'], ['FILL', 'torn']] }; // prettier-ignore

const chains = isCampaign ? [...random, ...everyKind] : [short];
const killsOf = ({ kills, places }: Chain): number => kills + 2 * places.length;
const all = chains.reduce((sum, chain) => sum + killsOf(chain), 0);
const progress = progressLine('kills');
let done = 0;
function killedOne(): void {
  if (isCampaign) progress.show(`${all} kills`, ++done, done / all);
}

test.concurrent.each(chains)('$name', { timeout: WEEK_MS }, async (chain) => {
  const killer = await BotKiller.open({ seed: chain.seed, market: chain.market, symbols: 4, speed: SPEED }, killedOne);
  let isRight = false;
  try {
    for (let kill = 0; kill < chain.kills; kill++) await killer.killAtRandom();
    for (const [kind, step] of chain.places) await killer.killAt(kind, step);
    const ended = await killer.end();
    expect(ended.kills).toBe(killsOf(chain));
    notify(chain, ended);
    isRight = true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}\nagain: ${again(chain)}\nthe journal: ${killer.world.folder}`, { cause: error });
  } finally {
    await killer.close(!isRight);
  }
});

function again({ name, kills, seed }: Chain): string {
  return isCampaign
    ? `npm run campaign -- botKill --cases ${kills} --seed ${seed} --only "${name}"`
    : 'npx vitest run test/campaigns/botKill';
}

function notify({ name }: Chain, { kills, orders, fills, unknown, slowestStartMs }: BotKills): void {
  console.log(
    `${name}: ${kills} kills, ${orders} orders, ${fills} fills, ${unknown} reads about lost answers; none twice, none forgotten, the books equal to the exchange's; slowest start ${Math.round(slowestStartMs)} ms`,
  );
}
