// Runs `isobar doctor`: resolves the settings, runs the checks, and reports the results with the dialect options that they determined.

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
import { checkPlan } from './checkPlan.ts';

const MARKETS = ['spot', 'futures'] as const satisfies readonly Market[];

/** The options of the command. */
export interface DoctorOptions extends AccessOptions {
  /** Markets to check; null: those with an address. */
  readonly markets: readonly Market[] | null;
  /** If both markets are checked, symbols with a hyphen are contracts. */
  readonly symbols: readonly string[];
  /** Folder of the catalog. It need not exist. */
  readonly catalog: string;
  /** Time limit per request, ms. */
  readonly timeoutMs: number;
}

/** The resolved target, before any check runs. */
export interface DoctorTarget {
  readonly settings: AccessSettings;
  readonly credentials: CredentialFinding;
  readonly markets: readonly Market[];
}

/** The results of all checks. */
export interface DoctorReport {
  readonly checks: readonly CheckResult[];
  /** The determined values of dialect options, whatever is configured. */
  readonly dialect: DialectFinding;
  /** True when no check failed. */
  readonly ok: boolean;
}

/** Resolves the settings. Throws ConfigError if they are invalid. The checks report invalid keys. */
export function resolveTarget(options: DoctorOptions, environment: Environment = process.env): DoctorTarget {
  const { settings, credentials } = resolveSettings(options, environment);
  const marketsWithAddress = MARKETS.filter((market) => settings.baseUrls[market] !== null);
  const markets = options.markets ?? marketsWithAddress;
  for (const market of markets) originOf(settings, market);
  if (markets.length === 0) {
    throw new ConfigError(
      'expected the address of an exchange, got none',
      'give --spot-url or --futures-url, or set ISOBAR_SPOT_URL or ISOBAR_FUTURES_URL',
    );
  }
  return { settings, credentials, markets };
}

/** Returns the access settings and where the key is from. A problem of the key is a finding, not an error. */
function resolveSettings(options: DoctorOptions, environment: Environment): { settings: AccessSettings; credentials: CredentialFinding } {
  try {
    const settings = accessSettings(options, environment);
    const { credentials } = settings;
    return { settings, credentials: credentials && sourcesOf(credentials, options.config, environment) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { message: problem, remedy } = error;
    return { settings: settingsWithPlaceholderKeys(options, environment), credentials: { problem, remedy } };
  }
}

/**
 * Returns the settings for a user with invalid keys, so that public endpoints can still be checked. The environment has precedence over files,
 * so its placeholder keys prevent reading the key files. Throws ConfigError if anything but the keys is invalid.
 */
function settingsWithPlaceholderKeys(options: DoctorOptions, environment: Environment): AccessSettings {
  const { [VARIABLES.key.file]: _key, [VARIABLES.secret.file]: _secret, ...rest } = environment;
  const placeholder = 'none-at-all';
  return {
    ...accessSettings(options, { ...rest, [VARIABLES.key.text]: placeholder, [VARIABLES.secret.text]: placeholder }),
    credentials: null,
  };
}

/** Runs all checks. They change nothing at the exchange: they send reads, and a test order that no exchange places. */
export async function runDoctor(
  { settings, credentials, markets }: DoctorTarget,
  options: DoctorOptions,
  progress: Progress = {},
): Promise<DoctorReport> {
  const probe = openProbe(settings, options.timeoutMs);
  try {
    const contexts = markets.map(
      (market) =>
        new CheckContext({
          market,
          origin: originOf(settings, market),
          dialect: settings.dialect,
          symbols: markets.length === 1 ? options.symbols : symbolsOfMarket(options.symbols, market),
          records: catalogRecords(options.catalog),
          probe,
        }),
    );
    const checks = await runChecks(checkPlan(contexts, credentials, probe, settings.socketUrl), monotonicMs, progress);
    return { checks, dialect: dialectOf(checks, settings), ok: isHealthy(checks) };
  } finally {
    await probe.close();
  }
}

/** Returns the symbols of one market. Names of contracts have a hyphen, those of spot pairs have none. */
const symbolsOfMarket = (symbols: readonly string[], market: Market): readonly string[] =>
  symbols.filter((symbol) => symbol.includes('-') === (market === 'futures'));

/** Returns the reader of the instrument records of a catalog. */
function catalogRecords(catalog: string): Records {
  const keys = listKeys(catalog);
  return {
    folder: catalog,
    symbols: (market) => [...new Set(keys.filter((key) => key.market === market).map(({ symbol }) => symbol))],
    record: (market, symbol) => readInstrument(catalog, market, symbol),
  };
}

/** Returns the determined dialect options. If the markets differ, a value other than the configured one wins. */
function dialectOf(checks: readonly CheckResult[], { dialect }: AccessSettings): DialectFinding {
  const determined = checks.flatMap((check) => Object.entries(check.dialect));
  const isConfigured = ([name, value]: readonly [string, unknown]): boolean =>
    Object.entries(dialect).some(([key, configured]) => key === name && configured === value);
  // The last one wins, so values that are not configured stand last.
  return Object.fromEntries([...determined.filter(isConfigured), ...determined.filter((option) => !isConfigured(option))]);
}
