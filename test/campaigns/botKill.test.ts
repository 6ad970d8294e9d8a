// Tests kills of a live bot under load, at random instants and at each kind of record: no order is sent twice or lost.

import { expect, test } from 'vitest';
import { RECORD_KINDS, type RecordKind } from '../../src/adapters/journal/records/records.ts';
import { progressLine } from '../../src/cli/terminal/progressLine.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { Step } from '../kills/botWorld.ts';
import { BotKiller, type BotKills } from '../kills/killBot.ts';

/** `npm run campaign -- botKill` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const SEED = Number(ISOBAR_SEED ?? 1);
const KILLS = Math.min(Number(ISOBAR_CASES ?? 0), 200);
/** Times real time. A campaign runs slower, so that a computer that is slow for a moment does not fail it. */
const SPEED = isCampaign ? 20 : 40;
const WEEK_MS = 604_800_000;

/** Where a kill hits the write of a record. */
const STEPS: readonly Step[] = ['before', 'torn', 'written', 'lasting'];
/** Kinds of records that only a bot on futures writes. */
const FUTURES_ONLY: ReadonlySet<RecordKind> = new Set<RecordKind>(['SETTING', 'FUNDED', 'RATES']);
/** Kinds of records that these bots do not write. test/live/seriesKilled.test.ts kills a bot with external series. */
const NOT_WRITTEN_HERE: ReadonlySet<string> = new Set<RecordKind>(['SERIES']);

/** True for the name of a record kind. */
const isKind = (name: string): name is RecordKind => Object.hasOwn(RECORD_KINDS, name);

/** A chain of kills of one bot on one exchange. */
interface Chain {
  readonly name: string;
  readonly market: Market;
  readonly seed: number;
  /** Number of kills at random instants. */
  readonly kills: number;
  /** Kills at the write of a record: its kind, and the step of the write. */
  readonly places: readonly { readonly kind: RecordKind; readonly step: Step }[];
}

/** Kills of one bot: enough for a long journal, and few enough to repeat a failed chain quickly. */
const KILLS_PER_CHAIN = 25;
/** Every fourth chain trades contracts. */
const MARKETS: readonly Market[] = ['spot', 'spot', 'futures', 'spot'];

/** Chains of kills at random instants. */
const randomChains = Array.from({ length: Math.ceil(KILLS / KILLS_PER_CHAIN) }, (_, index): Chain => {
  const seed = SEED + index;
  const kills = Math.min(KILLS_PER_CHAIN, KILLS - index * KILLS_PER_CHAIN);
  const market = MARKETS[(seed - 1) % MARKETS.length]!;
  return { name: `${kills} kills at random instants (${market}, seed ${seed})`, market, seed, kills, places: [] };
});

/** One chain for each kind of record. The seed selects the step of the write. */
const chainsByKind = Object.keys(RECORD_KINDS)
  .filter(isKind)
  .filter((kind) => !NOT_WRITTEN_HERE.has(kind))
  .map((kind, index): Chain => {
    const step = STEPS[(SEED + index) % STEPS.length]!;
    const market = FUTURES_ONLY.has(kind) ? 'futures' : 'spot';
    return { name: `kill at ${kind}, ${step} (${market}, seed ${SEED})`, market, seed: SEED, kills: 0, places: [{ kind, step }] };
  });

/** The suite kills at two records: a lost one would lose an order, or money. */
const suiteChain: Chain = {
  name: 'kills at SEND and FILL',
  market: 'spot',
  seed: SEED,
  kills: 0,
  places: [
    { kind: 'SEND', step: 'lasting' },
    { kind: 'FILL', step: 'torn' },
  ],
};

const chains = isCampaign ? [...randomChains, ...chainsByKind] : [suiteChain];
/** Returns the number of kills of a chain. Each place is hit twice. */
const killsOf = ({ kills, places }: Chain): number => kills + 2 * places.length;
const totalKills = chains.reduce((sum, chain) => sum + killsOf(chain), 0);
const progress = progressLine('kills');
let finishedKills = 0;
/** Shows the progress of a campaign. Called after each kill. */
function countKill(): void {
  if (isCampaign) progress.show(`${totalKills} kills`, ++finishedKills, finishedKills / totalKills);
}

test.concurrent.each(chains)('a bot keeps its orders and books over $name', { timeout: WEEK_MS }, async (chain) => {
  const killer = await BotKiller.open({ seed: chain.seed, market: chain.market, symbols: 4, speed: SPEED }, countKill);
  let isPassed = false;
  try {
    for (let kill = 0; kill < chain.kills; kill++) await killer.killAtRandom();
    for (const { kind, step } of chain.places) await killer.killAt(kind, step);
    const botKills = await killer.end();
    expect(botKills.kills).toBe(killsOf(chain));
    printResult(chain, botKills);
    isPassed = true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}\nagain: ${repeatCommand(chain)}\nthe journal: ${killer.world.folder}`, { cause: error });
  } finally {
    await killer.close(!isPassed);
  }
});

/** Returns the command that repeats a chain. */
function repeatCommand({ name, kills, seed }: Chain): string {
  return isCampaign
    ? `npm run campaign -- botKill --cases ${kills} --seed ${seed} --only "${name}"`
    : 'npx vitest run test/campaigns/botKill';
}

/** Prints the counts of a chain that passed. */
function printResult({ name }: Chain, { kills, orders, fills, unknown, slowestStartMs }: BotKills): void {
  const counts = `${kills} kills, ${orders} orders, ${fills} fills, ${unknown} reads about lost replies`;
  const verdict = 'no order was sent twice or lost, and the books equal those of the exchange';
  console.log(`${name}: ${counts}; ${verdict}; slowest start ${Math.round(slowestStartMs)} ms`);
}
