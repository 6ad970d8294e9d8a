// What a command line asks to be run, as plain data, and how it becomes a definition: a file, a strategy with a file of bars, the demo.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateInto } from '../../adapters/bars/generateInto.ts';
import { importFiles } from '../../adapters/bars/importFiles.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { isPlainDecimal } from '../../base/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { INTERVALS, parseInterval } from '../../model/interval.ts';
import { parseTime } from '../../model/time.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { packageFolder } from '../version.ts';
import { withOverrides } from './overrides.ts';
import { shownPath } from './paths.ts';
import { optionSource, readDefinition, type DefinitionSource } from './source.ts';

export type RunRequest = { readonly settings: readonly string[] } & (
  | { readonly kind: 'file'; readonly file: string }
  | {
      readonly kind: 'data';
      readonly strategy: string;
      readonly data: string;
      readonly symbol?: string | undefined;
      readonly interval?: string | undefined;
      /** Amount of the quote asset. */
      readonly cash: string;
    }
  | { readonly kind: 'demo' }
);

export interface RequestedRun {
  readonly source: DefinitionSource;
  /** The catalog in place of the one that the definition names. */
  readonly catalogFolder: string | undefined;
  /** How the bars came into that catalog: the commands that would put them into the definition's own. */
  readonly recipe: string | null;
  /** Removes what was made for this run alone. */
  cleanUp(): void;
}

/** Reads, imports or generates what `request` needs; bars of its own go into `folder`, which `cleanUp` removes. Throws ConfigError. */
export async function openRequest(request: RunRequest, folder: string | null = null): Promise<RequestedRun> {
  if (request.kind === 'file') {
    const source = withOverrides(readDefinition(request.file), request.settings);
    return { source, catalogFolder: undefined, recipe: null, cleanUp: () => {} };
  }
  const catalogFolder = folder ?? temporaryFolder();
  const cleanUp = () => rmSync(catalogFolder, { recursive: true, force: true });
  try {
    const made = request.kind === 'data' ? await fromFile(request, catalogFolder) : demo(catalogFolder);
    return { source: withOverrides(made.source, request.settings), catalogFolder, recipe: made.recipe, cleanUp };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

interface Made {
  readonly source: DefinitionSource;
  readonly recipe: string;
}

async function fromFile(request: Extract<RunRequest, { kind: 'data' }>, catalog: string): Promise<Made> {
  const { cash, data, symbol, strategy } = request;
  if (!isPlainDecimal(cash))
    throw new ConfigError(`--cash: expected a decimal (amount of the quote asset), got '${cash}'`, 'for example --cash 10000');
  const interval = request.interval === undefined ? undefined : parseInterval(request.interval);
  if (interval === null)
    throw new ConfigError(`--interval: expected one of ${INTERVALS.join(' ')}, got ${request.interval}`, 'correct the interval');
  const [set] = await importFiles([data], { catalog, symbol, interval, nowMs: nowMs() });
  if (!set) throw new ConfigError(`--data: no bars in ${data}`, 'name a file of bars');
  const values = {
    strategy,
    feeds: { bars: { symbol: set.symbol, interval: set.interval } },
    cash: { [set.instrument.quote]: cash },
  };
  const named = `${symbol === undefined ? '' : ` --symbol ${symbol}`}${interval === undefined ? '' : ` --interval ${interval}`}`;
  return {
    source: optionSource('.', values, { strategy: 'the strategy file', feeds: '--data', cash: '--cash' }),
    recipe: `isobar data import ${data}${named}`,
  };
}

/** A year of synthetic quarter-hours: a fixed seed, so that the demo shows the same result everywhere. */
const DEMO = { symbol: 'DEMOUSDT', interval: '15m', from: '2024-01-01', bars: 35_136, seed: 7 } as const;

function demo(catalog: string): Made {
  const { symbol, interval, from, bars, seed } = DEMO;
  generateInto(catalog, { symbol, interval, fromMs: parseTime(from) ?? 0, bars, seed });
  const values = {
    name: 'demo',
    strategy: shownPath(join(packageFolder(), 'strategies', 'smaCross.ts')),
    params: { fast: 40, slow: 200 },
    feeds: { bars: { symbol, interval } },
    cash: { USDT: '10000' },
  };
  return {
    source: optionSource('.', values, {}),
    recipe: `isobar data generate --symbol ${symbol} --interval ${interval} --from ${from} --bars ${bars} --seed ${seed}`,
  };
}
