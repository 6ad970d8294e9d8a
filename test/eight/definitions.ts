// Defines the runs of the eight strategies in `strategies/`, and the commands that make their data. The strategies were written from the
// documents alone. eight.test.ts and main.ts run them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of the eight strategies: its data, its run and its sweep. */
export interface StrategyCase {
  /** Arguments of the `isobar` commands that make the data. */
  readonly data: readonly string[];
  readonly definition: Readonly<Record<string, unknown>>;
  /** Two values of each of two parameters, in the form of `--grid`. */
  readonly grid: readonly string[];
  /** True if a bot can run the strategy. A bot cannot read the imported series of predictions. */
  readonly isLive: boolean;
  /** Rows of each instrument in a short run of a bot. */
  readonly bars: number;
}

/** The command that makes the bars of a spot pair. */
const SPOT_DATA = 'data generate --symbol DEMOUSDT --interval 15m --from 2024-01-01 --bars 8000 --seed 7';
/** The command that makes the bars of two contracts. */
const FUTURES_DATA = 'data generate --market futures --symbol SYNUSDT,TWOUSDT --interval 15m --from 2024-01-01 --bars 8000 --seed 31';
const numberedSymbols = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}USDT`);
/** Three groups of symbols, which begin at different times. */
const LISTED_SYMBOLS = [numberedSymbols('A', 7), numberedSymbols('B', 7), numberedSymbols('C', 6)] as const;
const listedData = (group: number, from: string, bars: number): string =>
  `data generate --symbol ${LISTED_SYMBOLS[group]!.join(',')} --interval 15m --from ${from} --bars ${bars} --seed ${group + 1}`;

/** The keys that definitions of spot runs share. */
const spot = {
  from: '2024-02-01',
  to: '2024-03-15',
  cash: { USDT: '10000' },
  fees: { maker: '0.0008', taker: '0.001', in: 'received' },
  risk: { maxLeverage: '1.5' },
};
/** The keys that definitions of futures runs share. */
const futures = {
  market: 'futures',
  futures: { leverage: 4, margin: 'cross', positions: 'net', marks: 'bars' },
  from: '2024-02-01',
  to: '2024-03-15',
  cash: { USDT: '10000' },
  fees: { maker: '0.0002', taker: '0.0005' },
  risk: { maxLeverage: '3' },
};
/** The feed of SPOT_DATA. */
const demoFeed = { feeds: { bars: { symbol: 'DEMOUSDT', interval: '15m' } } };

/** The eight strategies by the name of their file in `strategies/`. */
export const STRATEGY_CASES: Readonly<Record<string, StrategyCase>> = {
  longShortPair: {
    data: [FUTURES_DATA],
    definition: { ...futures, feeds: { bars: { symbol: 'SYNUSDT', interval: '15m' }, other: { symbol: 'TWOUSDT', interval: '15m' } } },
    grid: ['bars=48,96', 'entry=1.5,2'],
    isLive: true,
    bars: 500,
  },
  supertrendFollower: {
    data: [SPOT_DATA],
    definition: { ...spot, ...demoFeed },
    grid: ['bars=7,10', 'widths=2,3'],
    isLive: true,
    bars: 700,
  },
  threeTargets: {
    data: ['data generate --symbol DEMOUSDT --interval 5m --from 2024-01-01 --bars 15000 --seed 7'],
    definition: {
      ...spot,
      feeds: { bars: { symbol: 'DEMOUSDT', interval: '5m' }, hour: { symbol: 'DEMOUSDT', interval: '1h' } },
      to: '2024-02-20',
    },
    grid: ['dip=30,35', 'atrs=1.5,2'],
    isLive: true,
    bars: 900,
  },
  dcaLadder: {
    data: [SPOT_DATA],
    definition: { ...spot, ...demoFeed, fills: { latencyMs: 300 } },
    grid: ['rungs=2,4', 'profit=0.004,0.008'],
    isLive: true,
    bars: 700,
  },
  exchangeStop: {
    data: [FUTURES_DATA],
    definition: { ...futures, feeds: { bars: { symbol: 'SYNUSDT', interval: '15m' } } },
    grid: ['bars=24,48', 'atrs=2,3'],
    isLive: true,
    bars: 700,
  },
  listedMomentum: {
    data: [listedData(0, '2024-01-01', 1340), listedData(1, '2024-01-03', 1150), listedData(2, '2024-01-07', 760)],
    definition: {
      ...spot,
      feeds: {
        universe: {
          interval: '15m',
          symbols: LISTED_SYMBOLS.flat(),
          listed: { B1USDT: { from: '2024-01-04', to: '2024-01-10' }, C1USDT: { from: '2024-01-08' } },
        },
      },
      from: '2024-01-02',
      to: '2024-01-14',
    },
    grid: ['bars=10,20', 'top=3,5'],
    isLive: true,
    bars: 400,
  },
  latePredictions: {
    data: [SPOT_DATA],
    definition: { ...spot, ...demoFeed, series: { prediction: {} } },
    grid: ['enter=0.1,0.3', 'hours=3,6'],
    isLive: false,
    bars: 0,
  },
  bandedCarry: {
    data: [
      'data generate --market futures --symbol SYNUSDT --interval 1h --from 2024-01-01 --bars 2000 --seed 31',
      'data generate --symbol SYNUSDT --interval 1h --from 2024-01-01 --bars 2000 --seed 31',
    ],
    definition: {
      feeds: {
        coin: { market: 'spot', symbol: 'SYNUSDT', interval: '1h' },
        contract: { market: 'futures', symbol: 'SYNUSDT', interval: '1h' },
      },
      futures: { leverage: 3, margin: 'cross', positions: 'net', marks: 'bars' },
      from: '2024-01-10',
      to: '2024-03-15',
      cash: { spot: { USDT: '6000' }, futures: { USDT: '4000' } },
      fees: { maker: '0.0002', taker: '0.0005' },
      risk: { maxLeverage: '2' },
    },
    grid: ['rates=3,6', 'band=0.002,0.02'],
    isLive: true,
    bars: 500,
  },
};

/** Returns the definition in the form for a bot, without listing times: a bot gets them from the exchange. */
export function liveDefinition({ definition }: StrategyCase): StrategyCase['definition'] {
  const feeds = Object.entries(definition['feeds'] as Readonly<Record<string, object>>).map(([name, feed]) => {
    const { listed: _, ...liveFeed } = feed as { readonly listed?: unknown };
    return [name, liveFeed];
  });
  return { ...definition, feeds: Object.fromEntries(feeds) };
}

/** Returns a CSV of hourly predictions. Each becomes known 1 to 41 minutes late, and every second one is revised after 50 to 100 minutes. */
function predictionsCsv(): string {
  const startMs = Date.UTC(2024, 0, 25);
  const rows = ['time,known,prediction'];
  for (let hour = 0; hour < 1200; hour++) {
    const timeMs = startMs + hour * 3_600_000;
    const value = Math.sin(hour / 9) + 0.3 * Math.sin(hour * 1.7);
    const knownMs = timeMs + (60 + ((hour * 37) % 2400)) * 1000;
    rows.push(`${timeMs},${knownMs},${value.toFixed(4)}`);
    if (hour % 2 > 0) continue;
    const revisedMs = timeMs + 3_000_000 + ((hour * 53) % 3000) * 1000;
    rows.push(`${timeMs},${revisedMs},${(value - 0.4).toFixed(4)}`);
  }
  return `${rows.join('\n')}\n`;
}

/** Returns the arguments of the `isobar` commands that make the data of a strategy. Writes the files that they read to `folder`. */
export function dataCommands(folder: string, { data, definition }: StrategyCase): readonly string[] {
  mkdirSync(folder, { recursive: true });
  if (!('series' in definition)) return data;
  writeFileSync(join(folder, 'predictions.csv'), predictionsCsv());
  return [...data, 'data import predictions.csv --as series --name prediction --time time --known-at known'];
}
