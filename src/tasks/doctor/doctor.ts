// The doctor: settings, the checks that fit them, their results, and the options of the dialect that they found.

import { readInstrument } from '../../adapters/catalog/bars/catalog.ts';
import { listKeys } from '../../adapters/catalog/files/paths.ts';
import { monotonicMs } from '../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { VARIABLES, type Environment } from '../../access/environment.ts';
import { accessSettings, originOf, type AccessOptions, type AccessSettings } from '../../access/settings.ts';
import { isHealthy, type CheckResult, type DialectFinding } from './context/check.ts';
import type { CredentialFinding } from './checks/credentials.ts';
import { runChecks, type Progress } from './runChecks.ts';
import { CheckContext, type Records } from './context/checkContext.ts';
import { sourcesOf } from './context/keySource.ts';
import { openProbe } from './context/liveProbe.ts';
import { checkPlan } from './plan.ts';

const MARKETS = ['spot', 'futures'] as const satisfies readonly Market[];

export interface DoctorOptions extends AccessOptions {
  /** Null: those that have an address. */
  readonly markets: readonly Market[] | null;
  /** Names with a hyphen are contracts where both markets are examined. */
  readonly symbols: readonly string[];
  /** Folder of the catalog, which need not exist. */
  readonly catalog: string;
  /** ms for each question. */
  readonly timeoutMs: number;
}

/** What is examined, before anything is. */
export interface DoctorTarget {
  readonly settings: AccessSettings;
  readonly credentials: CredentialFinding;
  readonly markets: readonly Market[];
}

export interface DoctorReport {
  readonly checks: readonly CheckResult[];
  /** Values of dialect options as they were found, whatever is configured. */
  readonly dialect: DialectFinding;
  /** True where nothing failed. */
  readonly ok: boolean;
}

/** Throws ConfigError for what cannot be used; keys that cannot be are a matter for the checks. */
export function resolveTarget(options: DoctorOptions, environment: Environment = process.env): DoctorTarget {
  const { settings, credentials } = settingsOf(options, environment);
  const named = MARKETS.filter((market) => settings.baseUrls[market] !== null);
  const markets = options.markets ?? named;
  for (const market of markets) originOf(settings, market);
  if (markets.length === 0) {
    throw new ConfigError(
      'expected the address of an exchange, got none',
      'give --spot-url or --futures-url, or set ISOBAR_SPOT_URL or ISOBAR_FUTURES_URL',
    );
  }
  return { settings, credentials, markets };
}

function settingsOf(options: DoctorOptions, environment: Environment): { settings: AccessSettings; credentials: CredentialFinding } {
  try {
    const settings = accessSettings(options, environment);
    const { credentials } = settings;
    return { settings, credentials: credentials && sourcesOf(credentials, options.config, environment) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { message: problem, remedy } = error;
    return { settings: withoutKeys(options, environment), credentials: { problem, remedy } };
  }
}

/**
 * The settings of one whose keys cannot be used: everything public can be examined all the same. What the environment says counts more
 * than any file, so that keys of no meaning keep the files from being read. Throws ConfigError where it is not the keys.
 */
function withoutKeys(options: DoctorOptions, environment: Environment): AccessSettings {
  const { [VARIABLES.key.file]: _key, [VARIABLES.secret.file]: _secret, ...rest } = environment;
  const none = 'none-at-all';
  return { ...accessSettings(options, { ...rest, [VARIABLES.key.text]: none, [VARIABLES.secret.text]: none }), credentials: null };
}

/** Asks nothing that changes anything: reads, and a test order that no exchange places. */
export async function runDoctor(
  { settings, credentials, markets }: DoctorTarget,
  options: DoctorOptions,
  progress: Progress = {},
): Promise<DoctorReport> {
  const probe = openProbe(settings, options.timeoutMs);
  try {
    const exams = markets.map(
      (market) =>
        new CheckContext({
          market,
          origin: originOf(settings, market),
          dialect: settings.dialect,
          symbols: options.symbols.filter((symbol) => markets.length === 1 || symbol.includes('-') === (market === 'futures')),
          records: recordsOf(options.catalog),
          probe,
        }),
    );
    const checks = await runChecks(checkPlan(exams, credentials, probe, settings.socketUrl), monotonicMs, progress);
    return { checks, dialect: dialectOf(checks, settings), ok: isHealthy(checks) };
  } finally {
    await probe.close();
  }
}

function recordsOf(catalog: string): Records {
  const keys = listKeys(catalog);
  return {
    folder: catalog,
    symbols: (market) => [...new Set(keys.filter((key) => key.market === market).map(({ symbol }) => symbol))],
    record: (market, symbol) => readInstrument(catalog, market, symbol),
  };
}

/** Where markets differ, the value that would have to be changed. */
function dialectOf(checks: readonly CheckResult[], { dialect }: AccessSettings): DialectFinding {
  const found = checks.flatMap((check) => Object.entries(check.dialect));
  const isSet = ([name, value]: readonly [string, unknown]): boolean =>
    Object.entries(dialect).some(([key, set]) => key === name && set === value);
  return Object.fromEntries([...found.filter(isSet), ...found.filter((each) => !isSet(each))]);
}
