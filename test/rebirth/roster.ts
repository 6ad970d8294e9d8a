// Lists the strategies whose bots are killed: the shipped ones, those with state of every kind, and those of test/eight.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataCommands, STRATEGY_CASES, liveDefinition } from '../eight/definitions.ts';
import { isobar } from '../fixtures/shippedDefinitions.ts';
import { definitionsIn, generateBarsOnce, placementSettings } from '../parity/shipped.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

/** One strategy with its definition and the length of its run. */
export interface KilledStrategy {
  readonly name: string;
  /** Path of its definition. */
  readonly file: string;
  /** Overrides of the definition, as `--set` has them. */
  readonly settings: readonly string[];
  /** Rows of each instrument. */
  readonly bars: number;
}

/** The command that generates the bars of a spot strategy. */
const SPOT_BARS = 'data generate --symbol DEMOUSDT --interval 15m --from 2024-01-01 --bars 35136 --seed 7';
/** The bars for orders that fill in bars finer than those of the strategy. */
const FINER_BARS = 'data generate --symbol DEMOUSDT --interval 5m --from 2024-01-25 --bars 6000 --seed 11';
const FUTURES_BARS = 'data generate --market futures --symbol SYNUSDT,TWOUSDT --interval 15m --from 2024-01-01 --bars 17568 --seed 31';

/** Definition of a spot strategy, without its name. */
const SPOT = {
  feeds: { bars: { symbol: 'DEMOUSDT', interval: '15m' } },
  from: '2024-02-01',
  to: '2024-03-15',
  cash: { USDT: '10000' },
  fees: { maker: '0.0008', taker: '0.001', in: 'received' },
  fills: { latencyMs: 250, maxVolumeShare: '0.05' },
  risk: { maxLeverage: '1.5' },
};
/** Definition of a strategy for one contract, without its name. */
const FUTURES = {
  feeds: { bars: { symbol: 'SYNUSDT', interval: '15m' } },
  market: 'futures',
  futures: { leverage: 4, margin: 'isolated', positions: 'net' },
  from: '2024-02-01',
  to: '2024-03-15',
  cash: '10000',
  fees: { maker: '0.0002', taker: '0.0005' },
  risk: { maxLeverage: '3' },
};
/** The strategies of this folder, each with a different kind of state, and the keys of their definitions. */
const STATEFUL = {
  startBuyer: SPOT,
  streakCounter: SPOT,
  closureCounter: SPOT,
  keptMap: SPOT,
  setOfLevels: SPOT,
  hourTimer: SPOT,
  dayClock: SPOT,
  coinTosser: SPOT,
  fillChaser: { ...SPOT, fills: { latencyMs: 250, maxVolumeShare: '0.002' } },
  keptNotes: SPOT,
  movedStop: SPOT,
  trailedShare: SPOT,
  repricedTrail: SPOT,
  channelEntry: SPOT,
  severalTargets: { ...SPOT, fills: { latencyMs: 250, maxVolumeShare: '0.002' } },
  finerLadder: { ...SPOT, to: '2024-02-14', fills: { maxVolumeShare: '0.002' } },
  reprice: SPOT,
  shortLadder: FUTURES,
  marginSwing: FUTURES,
  bothWaysTargets: FUTURES,
};

/** The strategies of test/eight that may run live. */
const liveEight = Object.entries(STRATEGY_CASES).filter(([, { isLive }]) => isLive);

/** Returns the names of all strategies. */
export const strategyNames = (): readonly string[] => [
  ...definitionsIn('backtests').map(({ name }) => name),
  ...Object.keys(STATEFUL),
  ...liveEight.map(([name]) => name),
];

/** Writes the definitions of the named strategies into `folder`, and generates the bars that they need. */
export function strategiesIn(folder: string, requestedNames: readonly string[]): readonly KilledStrategy[] {
  mkdirSync(folder, { recursive: true });
  const shipped = definitionsIn('backtests')
    .filter(({ name }) => requestedNames.includes(name))
    .map(({ name, file, bars }) => ({
      name,
      file,
      settings: placementSettings(file, generateBarsOnce(folder, bars)),
      bars: name === 'momentumRotation' ? 1500 : 700,
    }));
  const stateful = Object.entries(STATEFUL)
    .filter(([name]) => requestedNames.includes(name))
    .map(([name, definition]) => {
      const spotBars = name === 'finerLadder' ? FINER_BARS : SPOT_BARS;
      const bars = generateBarsOnce(folder, ['market' in definition ? FUTURES_BARS : spotBars]);
      const file = join(folder, `${name}.yaml`);
      const strategy = `${ROOT}test/rebirth/strategies/${name}.ts`;
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ strategy, ...definition, catalog: join(bars, 'data') }));
      return { name, file, settings: name === 'finerLadder' ? ['fills.inside=5m'] : [], bars: 700 };
    });
  const eight = liveEight
    .filter(([name]) => requestedNames.includes(name))
    .map(([name, entry]) => {
      const entryFolder = join(folder, name);
      for (const words of dataCommands(entryFolder, entry)) isobar(ROOT, entryFolder, words);
      const file = join(entryFolder, `${name}.yaml`);
      const strategy = `${ROOT}test/eight/strategies/${name}.ts`;
      writeFileSync(file, JSON.stringify({ strategy, ...liveDefinition(entry), catalog: join(entryFolder, 'data') }));
      return { name, file, settings: [], bars: entry.bars };
    });
  return [...shipped, ...stateful, ...eight];
}
