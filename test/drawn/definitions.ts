// Draws the run of a drawn strategy from a seed: market, fees, latency, caps, limits, and bars.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRng } from '../../src/base/number/rng.ts';
import { generateBarsOnce } from '../parity/shipped.ts';
import type { KilledStrategy } from '../rebirth/roster.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

const SPOT_BARS = 'data generate --symbol DEMOUSDT --interval 15m --from 2024-01-25 --bars 4000 --seed 7';
const FUTURES_BARS = 'data generate --market futures --symbol SYNUSDT --interval 15m --from 2024-01-25 --bars 4000 --seed 31';

/** Writes the definition of a seed into `folder`, and generates its bars. */
export function drawnRun(folder: string, seed: number, bars: number): KilledStrategy {
  const rng = seededRng(seed * 65_537);
  const drawOne = <T>(choices: readonly T[]): T => choices[Math.floor(rng.next() * choices.length)]!;
  const isFutures = rng.next() < 0.4;
  const catalogFolder = generateBarsOnce(folder, [isFutures ? FUTURES_BARS : SPOT_BARS]);
  const market = isFutures
    ? {
        feeds: { bars: { symbol: 'SYNUSDT', interval: '15m' } },
        market: 'futures',
        futures: { leverage: drawOne([2, 4, 10]), margin: drawOne(['isolated', 'cross']), positions: 'net' },
        cash: '10000',
        fees: { maker: '0.0002', taker: '0.0005' },
      }
    : {
        feeds: { bars: { symbol: 'DEMOUSDT', interval: '15m' } },
        cash: { USDT: '10000' },
        fees: { maker: '0.0008', taker: '0.001', in: drawOne(['received', 'quote']) },
      };
  const definition = {
    strategy: `${ROOT}test/drawn/strategies/drawnOrders.ts`,
    params: { isFutures, isShort: isFutures && rng.next() < 0.5, actProbability: drawOne([0.15, 0.3, 0.6]) },
    ...market,
    seed,
    from: '2024-02-01',
    to: '2024-03-01',
    fills: { latencyMs: drawOne([0, 250]), maxVolumeShare: drawOne(['0.3', '0.05', '0.002']), collar: '0.05' },
    risk: { maxLeverage: drawOne(['0.8', '1.5']), ...(!isFutures && rng.next() < 0.3 && { maxOpenOrders: 4 }) },
    catalog: join(catalogFolder, 'data'),
  };
  mkdirSync(folder, { recursive: true });
  const name = `drawn-${seed}`;
  const file = join(folder, `${name}.yaml`);
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(definition));
  return { name, file, settings: [], bars };
}
