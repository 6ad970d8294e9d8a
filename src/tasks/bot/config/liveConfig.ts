// Reads the config of a live bot: checks it, fills in defaults, and reads the access to the exchange and the run definition inside it.

import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ORDER_SETTINGS, type OrderSettings } from '../../../adapters/exchange/calls/orderSettings.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import { DEFAULT_ABSENCE_BOUNDS, type AbsenceBoundsSettings } from '../../../orders/prove/absenceBounds.ts';
import { readAccessFile, refuseKeys } from '../../../access/config.ts';
import type { Environment } from '../../../access/environment.ts';
import { originOf, settingsFromFile, signerOf, type AccessSettings } from '../../../access/settings.ts';
import type { Signer } from '../../../access/signer.ts';
import { parseSource, type FileKind } from '../../../definition/text/parse.ts';
import type { Definition } from '../../../definition/text/schema.ts';
import { DEFINITION_DEFAULTS } from '../../../definition/load/withDefaults.ts';
import { readYaml, definitionValueAt, whereIs, type DefinitionSource } from '../../../definition/text/source.ts';
import { boundSeries, webhookSettings, withoutSources, type BoundSeries, type WebhookSettings } from '../external/seriesSources.ts';
import { barLoad, defaultGraceMs, type BarLoad, type BarTimes } from './barTimes.ts';
import { checkAuditPeriod } from './riskDefaults.ts';
import { DEFINITION_KEYS, liveSchema, type LiveFile } from './liveSchema.ts';
import { maintenanceWindows, type MaintenanceWindow } from './maintenance.ts';
import { fingerprintOf, type Mode } from './mode.ts';
import type { AlertEntry } from './notifiers.ts';

const DEFAULT_DASHBOARD_PORT = 8090;
/** Defaults of `audit`, `clock`, `bars` and `funding`. */
const DEFAULT_FULL_AUDIT_MS = 300_000;
const START_GAP_MS = 10_000;
const DEFAULT_CLOCK = { samples: 5, periodMs: 300_000 } as const;
const DEFAULT_BAR_DELAY_MS = 400;
const DEFAULT_FUNDING_HOURS = 8;
const HOUR_MS = 3_600_000;

/** The kind of file that a bot config is, for reading and for messages. */
export const LIVE_FILE: FileKind<LiveFile> = { schema: liveSchema, called: 'a bot config', docs: 'docs/live.md' };

/** Periods of the audits, ms. */
export interface AuditTimes {
  readonly fullMs: number;
  /** Minimum time between the two clean audits that a start needs before it trades. */
  readonly startGapMs: number;
}

/** Settings that determine how a bot behaves, independent of the exchange's address. */
export interface LiveBehaviour {
  readonly file: string;
  readonly timeScale: number;
  readonly markets: readonly Market[];
  /** The run definition inside the config, with positions for error messages. */
  readonly source: DefinitionSource;
  readonly definition: Pick<Definition, (typeof DEFINITION_KEYS)[number]>;
  /** External series, each with its source. */
  readonly series: readonly BoundSeries[];
  /** Absence bounds: when an order may be proven absent (order safety, section 7). */
  readonly proof: AbsenceBoundsSettings;
  /** SHA-256 of the run definition inside the file. */
  readonly hash: string;
}

/** The whole config of a bot that is about to trade. */
export interface LiveConfig extends LiveBehaviour {
  readonly mode: Mode;
  /** The folder of the journal, the kill switch files and the socket; absolute. */
  readonly data: string;
  /** Folder with the account locks of all bots of this user, whatever their data folders. */
  readonly accounts: string;
  readonly access: AccessSettings;
  readonly signer: Signer;
  /** Identifies the account by its API key, without showing the key. */
  readonly fingerprint: string;
  /** Times of the order path, in the venue's time: they are not divided by the time scale. */
  readonly orders: OrderSettings;
  readonly onStop: 'leave' | 'cancel';
  readonly audit: AuditTimes;
  /** Requests for one measurement of the exchange's clock, and the time between two measurements, ms. */
  readonly clock: { readonly samples: number; readonly periodMs: number };
  readonly bars: BarTimes;
  readonly barLoad: BarLoad;
  readonly maintenance: readonly MaintenanceWindow[];
  /** From one funding time to the next, ms. */
  readonly fundingMs: number;
  /** Null: no dashboard. */
  readonly dashboard: { readonly port: number } | null;
  readonly alerts: readonly AlertEntry[];
  /** Null: no webhook. */
  readonly webhooks: WebhookSettings | null;
}

/** Returns the bot's own settings without reading a key. Throws ConfigError for an invalid config. */
export function readLiveFile(file: string): LiveBehaviour {
  const { source, config } = parseFile(file);
  return behaviourOf(file, source, config);
}

/** Returns the whole config, with the key read. Throws ConfigError if it is invalid. Removes key and secret from `environment`. */
export function readLiveConfig(file: string, environment: Environment = process.env): LiveConfig {
  const { source, config } = parseFile(file);
  const { markets, ...behaviour } = behaviourOf(file, source, config);
  checkAuditPeriod(timesOf(config).orders.fastMs, config.risk ?? {}, behaviour.timeScale, whereIs(source, ['audit', 'fastMs']));
  const access = accessOf(config, source, environment);
  for (const market of markets) originOf(access, market);
  const signer = signerOf(access);
  const mode = config.mode ?? 'paper';
  const dataFolder = resolve(dirname(file), config.data ?? 'bot');
  return {
    ...behaviour,
    mode,
    markets,
    data: dataFolder,
    accounts: join(access.stateFolder, 'accounts'),
    // A ban of a paper exchange ends by that exchange's own clock, so its state is not shared with other bots.
    access: mode === 'paper' ? { ...access, stateFolder: dataFolder } : access,
    signer,
    fingerprint: fingerprintOf(signer.apiKey),
    dashboard: config.dashboard === undefined ? null : { port: config.dashboard.port ?? DEFAULT_DASHBOARD_PORT },
    alerts: config.alerts ?? [],
    webhooks: webhookSettings(config.webhooks, behaviour.series, whereIs(source, ['webhooks'])),
    maintenance: maintenanceWindows(config.maintenance),
    ...timesOf(config),
    ...barsOf(config, barLoad(behaviour, access.limits.overrides)),
  };
}

/** Parses the file. Throws ConfigError for invalid content and for secrets in it. */
function parseFile(file: string): { readonly source: DefinitionSource; readonly config: LiveFile } {
  const source = readYaml(file, LIVE_FILE.called, 'write a strategy, its feeds and an exchange into it');
  refuseKeys(source, source.data, []);
  const config = parseSource(LIVE_FILE, source);
  refuseListed(source, config);
  return { source, config };
}

/** Throws ConfigError if a feed has listing times. A bot learns from the exchange which symbols are listed. */
function refuseListed(source: DefinitionSource, { feeds }: LiveFile): void {
  const name = Object.keys(feeds).find((feed) => feeds[feed]!.listed !== undefined);
  if (name === undefined) return;
  throw new ConfigError(
    `${whereIs(source, ['feeds', name, 'listed'])}: times of listing are for backtests`,
    'remove the key from the bot config',
  );
}

/** Returns the settings that determine the decisions of the bot. */
function behaviourOf(file: string, source: DefinitionSource, config: LiveFile): LiveBehaviour {
  const definition = definitionSource(source);
  return {
    file,
    timeScale: config.timeScale ?? 1,
    markets: marketsOf(config),
    source: definition,
    definition: config,
    series: boundSeries(config.series, source.folder),
    proof: timesOf(config).proof,
    // Address and access of the exchange do not influence decisions.
    hash: createHash('sha256').update(JSON.stringify(definition.data)).digest('hex'),
  };
}

/** The settings of a bot that are times, or that concern the order path. */
type ConfiguredTimes = Pick<LiveConfig, 'orders' | 'proof' | 'onStop' | 'audit' | 'clock' | 'fundingMs'>;

/**
 * Clock settings with a time scale, where 1 ms of uncertainty here is several ms at the exchange. The exchange accepts signatures from 5 s
 * behind its clock to 1 s ahead. Orders are signed for the middle of that span, so that an uncertainty of 2 s does no harm.
 */
const SCALED_TIME = { maxUncertaintyMs: 2000, backdateMs: 1500 } as const;

/** Returns the times of the config, with defaults. */
function timesOf({ orders = {}, audit = {}, clock = {}, funding = {}, timeScale = 1 }: LiveFile): ConfiguredTimes {
  const defaults = ORDER_SETTINGS;
  const maxUncertaintyMs = clock.maxUncertaintyMs ?? defaults.maxUncertaintyMs;
  const scaledUncertaintyMs = Math.min(SCALED_TIME.maxUncertaintyMs, maxUncertaintyMs * timeScale);
  return {
    orders: {
      ...defaults,
      backdateMs: orders.backdateMs ?? (timeScale === 1 ? defaults.backdateMs : SCALED_TIME.backdateMs),
      createTimeoutMs: orders.createTimeoutMs ?? defaults.createTimeoutMs,
      readLagMs: orders.readLagMs ?? defaults.readLagMs,
      cancelRetryMs: orders.cancelRetryMs ?? defaults.cancelRetryMs,
      fastMs: audit.fastMs ?? defaults.fastMs,
      balanceMs: audit.balanceMs ?? defaults.balanceMs,
      maxUncertaintyMs: timeScale === 1 ? maxUncertaintyMs : Math.max(maxUncertaintyMs, scaledUncertaintyMs),
    },
    proof: {
      ...DEFAULT_ABSENCE_BOUNDS,
      deltaMinMs: orders.deltaMinMs ?? DEFAULT_ABSENCE_BOUNDS.deltaMinMs,
      readLagMs: orders.readLagMs ?? DEFAULT_ABSENCE_BOUNDS.readLagMs,
      resolveEveryMs: orders.resolveEveryMs ?? DEFAULT_ABSENCE_BOUNDS.resolveEveryMs,
      humanAfterMs: orders.humanAfterMs ?? DEFAULT_ABSENCE_BOUNDS.humanAfterMs,
    },
    onStop: orders.onStop ?? 'leave',
    audit: { fullMs: audit.fullMs ?? DEFAULT_FULL_AUDIT_MS, startGapMs: START_GAP_MS },
    clock: { samples: clock.samples ?? DEFAULT_CLOCK.samples, periodMs: clock.periodMs ?? DEFAULT_CLOCK.periodMs },
    fundingMs: (funding.everyHours ?? DEFAULT_FUNDING_HOURS) * HOUR_MS,
  };
}

/** Returns the times of bars, with defaults that fit the load. */
function barsOf({ bars = {} }: LiveFile, load: BarLoad): Pick<LiveConfig, 'bars' | 'barLoad'> {
  const times = { delayMs: bars.delayMs ?? DEFAULT_BAR_DELAY_MS, spreadMs: bars.spreadMs ?? 0 };
  return { bars: { ...times, graceMs: bars.graceMs ?? defaultGraceMs(load, times) }, barLoad: load };
}

/** Returns the markets of all feeds, sorted. */
function marketsOf({ feeds, market = DEFINITION_DEFAULTS.market }: LiveFile): readonly Market[] {
  return [...new Set(Object.values(feeds).map((feed) => feed.market ?? market))].toSorted();
}

/** Returns the access to the exchange, from the config or its access file. Throws ConfigError if both have it. */
function accessOf({ exchange }: LiveFile, source: DefinitionSource, environment: Environment): AccessSettings {
  const { access, spotUrl, futuresUrl, ...accessKeys } = exchange;
  if (access !== undefined && Object.keys(accessKeys).length > 0) {
    throw new ConfigError(
      `${whereIs(source, ['exchange'])}: expected access alone, or keyFile, secretFile and dialect, got both`,
      'keep access and move the other keys into the access file',
    );
  }
  const urls = { spotUrl, futuresUrl };
  if (access === undefined) return settingsFromFile(accessKeys, source.folder, urls, environment);
  const path = isAbsolute(access) ? access : join(source.folder, access);
  return settingsFromFile(readAccessFile(path), dirname(path), urls, environment);
}

/** Returns the keys of the run definition, with their positions in the config. */
function definitionSource(source: DefinitionSource): DefinitionSource {
  const valueOf = (key: (typeof DEFINITION_KEYS)[number]): unknown => {
    const value = definitionValueAt(source.data, [key]);
    return key === 'series' ? withoutSources(value) : value;
  };
  const entries = DEFINITION_KEYS.map((key) => [key, valueOf(key)] as const).filter(([, value]) => value !== undefined);
  return { ...source, data: Object.fromEntries(entries) };
}
