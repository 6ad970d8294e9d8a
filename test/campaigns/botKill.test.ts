// Kills of a live bot under load: at random instants, and at each kind of record. Nothing is sent twice, nothing forgotten, the books are true.

import { expect, test } from 'vitest';
import { KINDS, type Kind } from '../../src/adapters/journal/records.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { Step } from '../kills/botWorld.ts';
import { BotKiller, type BotKills } from '../kills/killBot.ts';

/** `npm run campaign -- botKill` sets both, and wants to read what was found. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const KILLS = Math.min(Number(ISOBAR_CASES ?? 0), 200);
/** A campaign has time for a computer that is slow now and then. */
const SPEED = ISOBAR_CASES === undefined ? 40 : 20;
const WEEK_MS = 604_800_000;

const STEPS: readonly Step[] = ['before', 'torn', 'written', 'lasting'];
/** Those that spot has no cause to write. */
const OF_FUTURES: readonly string[] = ['SETTING', 'FUNDED'] satisfies Kind[];
const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name);

type Place = readonly [Kind, Step];

/** Each kind once; another seed strikes it at another step. In the suite those two at which an order would be lost, or money. */
const PLACES: Readonly<Record<Market, readonly Place[]>> =
  ISOBAR_CASES === undefined
    ? { spot: [['SEND', 'lasting'], ['FILL', 'torn']], futures: [] } // prettier-ignore
    : { spot: everyKind((kind) => !OF_FUTURES.includes(kind)), futures: everyKind((kind) => OF_FUTURES.includes(kind)) };

function everyKind(isMeant: (kind: Kind) => boolean): readonly Place[] {
  return Object.keys(KINDS)
    .filter(isKind)
    .map((kind, at): Place => [kind, STEPS[(SEED + at) % STEPS.length]!])
    .filter(([kind]) => isMeant(kind));
}

test.each(ISOBAR_CASES === undefined ? (['spot'] as const) : (['spot', 'futures'] as const))(
  `a bot is killed at random instants and at records (%s, seed ${SEED})`,
  { timeout: WEEK_MS },
  async (market) => {
    const atRandom = market === 'spot' ? KILLS : 0;
    await withKiller(market, async (killer) => {
      for (let kill = 0; kill < atRandom; kill++) await killer.killAtRandom();
      for (const [kind, step] of PLACES[market]) await killer.killAt(kind, step);
      expect(killer.kills).toBe(atRandom + 2 * PLACES[market].length);
    });
  },
);

async function withKiller(market: Market, kill: (killer: BotKiller) => Promise<void>): Promise<void> {
  const killer = await BotKiller.open({ seed: SEED, market, symbols: 4, speed: SPEED });
  try {
    await kill(killer);
    tell(market, await killer.end());
  } finally {
    await killer.close();
  }
}

function tell(market: Market, { kills, orders, fills, unknown, slowestStartMs }: BotKills): void {
  console.log(
    `${market}: ${kills} kills, ${orders} orders, ${fills} fills, ${unknown} reads about lost answers; none twice, none forgotten, the books equal to the exchange's; slowest start ${Math.round(slowestStartMs)} ms`,
  );
}
