// Reads the exchange config: fills in the defaults, and loads keys and bars.

import { dirname, resolve } from 'node:path';
import { loadBars, readInstrument } from '../../../adapters/catalog/bars/catalog.ts';
import { loadFeed } from '../../../adapters/catalog/bars/loadFeed.ts';
import type { BarKey } from '../../../adapters/catalog/files/paths.ts';
import { unitDigits } from '../../../adapters/catalog/records/instrumentRecord.ts';
import { catalogStore, type BarStore } from '../../../adapters/catalog/bars/barStore.ts';
import { lots } from '../../../base/brand.ts';
import { nearestScaled } from '../../../base/number/decimal.ts';
import { scaleDown } from '../../../base/number/decimalText.ts';
import { ConfigError } from '../../../base/errors.ts';
import { instrumentId, type Instrument, type InstrumentId } from '../../../model/instrument.ts';
import { parseInterval } from '../../../model/interval.ts';
import { parseTime } from '../../../model/time.ts';
import { isOp, type Op } from '../../../protocol/endpoints/endpoints.ts';
import { DELAYS, SERVICE_DEFAULTS, type AccountConfig, type KeyConfig } from '../../dialect/config.ts';
import { profileOf, PROFILES, type SwitchValues } from '../../dialect/profile.ts';
import { fillTerms, type InstrumentState } from '../../../venue/venueConfig.ts';
import { loadContracts } from '../../../definition/marks/loadContracts.ts';
import { readKeyFile } from '../../../access/keyFile.ts';
import { settledFills } from '../../../definition/text/fills.ts';
import { parseSource, type FileKind } from '../../../definition/text/parse.ts';
import { readYaml } from '../../../definition/text/source.ts';
import { contractInstrument, contractPpm, type ContractEntry } from './contractEntry.ts';
import { exchangeSchema, type ExchangeFile } from './schema.ts';
import { readTradeFile } from './readTrades.ts';
import type { ExchangeSettings, InstrumentPrices } from './settings.ts';

/** Funding rates are whole in 10^-12. */
const FUNDING_DIGITS = 12;

const EXCHANGE_FILE: FileKind<ExchangeFile> = { schema: exchangeSchema, called: 'the exchange config', docs: 'docs/paper-exchange.md' };

type InstrumentEntry = NonNullable<ExchangeFile['instruments']>[number];
type AccountEntry = NonNullable<ExchangeFile['accounts']>[number];
/** Bars loaded before the opening, so that every interval has some history. */
const HISTORY_BARS = 20_000;
/** Digits of the units of an asset whose price the file does not give. */
const ASSET_DIGITS = 8;

/** Reads the exchange config. The switches of `profileFile` replace those of its profile. Throws ConfigError with file, line and key. */
export function readExchange(
  file: string,
  { profileFile, speed }: { readonly profileFile: string | null; readonly speed: number | null },
): ExchangeSettings {
  const config = parseSource(EXCHANGE_FILE, readYaml(file, EXCHANGE_FILE.called, 'write instruments and accounts into it'));
  const { graceMs = SERVICE_DEFAULTS.rowGraceMs, ...fills } = config.fills ?? {};
  const folder = dirname(file);
  const digitsByAsset = assetDigits(config.instruments ?? [], folder);
  const instrumentsOfFile = [
    ...(config.instruments ?? []).map((entry) => ({ entry, instrument: instrumentOf(entry, digitsByAsset, file) })),
    ...(config.contracts ?? []).map((entry, index) => ({ entry, instrument: contractInstrument(entry, index, file) })),
  ];
  checkContractIds(instrumentsOfFile, file);
  return {
    service: {
      ...SERVICE_DEFAULTS,
      instruments: instrumentsOfFile.map(({ instrument }) => instrument),
      accounts: (config.accounts ?? []).map((entry) => accountOf(entry, folder)),
      profile: profileOf(
        { ...PROFILES[config.profile ?? 'seed'], ...(profileFile === null ? {} : readProfile(profileFile)), ...config.switches },
        file,
      ),
      fills: fillTerms(settledFills(fills)),
      rowGraceMs: graceMs,
      delays: typeof config.delays === 'string' ? DELAYS[config.delays] : (config.delays ?? DELAYS.zero),
      limits: config.limits ?? {},
      denyIps: config.denyIps ?? [],
      off: (config.off ?? []).map((name) => opOf(name, file)),
      states: Object.fromEntries(instrumentsOfFile.map(({ entry, instrument }) => [instrument.id, stateOf(entry)])),
      fundingRates: fundingRatesOf(instrumentsOfFile),
      maxTriggers: config.maxTriggers ?? SERVICE_DEFAULTS.maxTriggers,
      liquidationFeePpm: config.liquidationFee === undefined ? SERVICE_DEFAULTS.liquidationFeePpm : contractPpm(config.liquidationFee),
      heartbeat: config.heartbeat ?? SERVICE_DEFAULTS.heartbeat,
      maxOpenOrders: config.maxOpenOrders ?? SERVICE_DEFAULTS.maxOpenOrders,
      maxOpenOrdersPerSymbol: config.maxOpenOrdersPerSymbol ?? SERVICE_DEFAULTS.maxOpenOrdersPerSymbol,
    },
    httpServer: {
      ...(config.maxConnections === undefined ? {} : { maxConnections: config.maxConnections }),
      ...(config.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: config.requestTimeoutMs }),
    },
    prices: pricesByInstrument(instrumentsOfFile, folder),
    seed: config.seed ?? 1,
    speed,
  };
}

/** A spot instrument or a contract of the file, with its entry. */
interface InstrumentOfFile {
  readonly entry: InstrumentEntry | ContractEntry;
  readonly instrument: Instrument;
}

/** Returns where the prices of each instrument come from. Instruments whose orders alone make their price are left out. */
function pricesByInstrument(entries: readonly InstrumentOfFile[], folder: string): Map<InstrumentId, InstrumentPrices> {
  const prices = new Map<InstrumentId, InstrumentPrices>();
  for (const { entry, instrument } of entries) {
    const settings = entry.prices === undefined ? null : pricesOf(entry.prices, instrument, folder);
    if (settings !== null) prices.set(instrument.id, settings);
  }
  return prices;
}

/** Returns the funding rates of the contracts that have one, whole in 10^-12. */
function fundingRatesOf(entries: readonly InstrumentOfFile[]): Record<string, number> {
  return Object.fromEntries(
    entries.flatMap(({ entry, instrument: { id } }) =>
      'fundingRate' in entry && entry.fundingRate !== undefined ? [[id, nearestScaled(entry.fundingRate, FUNDING_DIGITS)]] : [],
    ),
  );
}

/** Returns the switch values of a profile file. Throws ConfigError with file and switch. */
export function readProfile(file: string): SwitchValues {
  const { data } = readYaml(file, 'a profile', 'write switches and their values into it');
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new ConfigError(`${file}: expected switches and their values`, 'for example strictTypes: true');
  }
  const values = { ...data };
  profileOf(values, file);
  return values;
}

/**
 * Returns the digits of the units of each asset of spot. Those of a catalog's record are kept, so that a bot has the money of its backtest.
 * Units of 10^-8 of a cheap coin would hold hardly any of it. One asset has the coarsest of its units in all instruments, but none above a lot.
 */
function assetDigits(entries: readonly InstrumentEntry[], folder: string): ReadonlyMap<string, number> {
  const digits = new Map<string, number>();
  const coarsen = (asset: string, ownDigits: number): void => void digits.set(asset, Math.min(digits.get(asset) ?? Infinity, ownDigits));
  for (const entry of entries) {
    const { baseDigits, quoteDigits } = unitsOf(entry, folder);
    coarsen(entry.base, entry.baseDigits ?? baseDigits);
    coarsen(entry.quote, quoteDigits);
  }
  for (const { base, quantityDigits } of entries) digits.set(base, Math.max(digits.get(base)!, quantityDigits));
  return digits;
}

/** Returns the digits of the units of both assets by the prices of one instrument. */
function unitsOf({ symbol, prices }: InstrumentEntry, folder: string): Pick<Instrument, 'baseDigits' | 'quoteDigits'> {
  if (prices !== undefined && 'price' in prices) return unitDigits({ lowest: Number(prices.price), highest: Number(prices.price) });
  const fromCatalog =
    prices !== undefined && 'interval' in prices
      ? readInstrument(resolve(folder, prices.catalog ?? 'data'), 'spot', prices.symbol ?? symbol)
      : null;
  return fromCatalog ?? { baseDigits: ASSET_DIGITS, quoteDigits: ASSET_DIGITS };
}

/** Throws ConfigError if two contracts have the same id on the wire, by which clients distinguish contracts. */
function checkContractIds(instrumentsOfFile: readonly { readonly instrument: Instrument }[], file: string): void {
  const ownerOf = new Map<number, string>();
  for (const { instrument } of instrumentsOfFile) {
    if (instrument.contract === undefined) continue;
    const { contractId } = instrument.contract;
    const owner = ownerOf.get(contractId);
    if (owner !== undefined) {
      throw new ConfigError(
        `${file} ${instrument.wireName} contractId: ${owner} has the id ${contractId} too`,
        'give each contract its own contractId; without one it has its place in the list, from 1',
      );
    }
    ownerOf.set(contractId, instrument.wireName);
  }
}

/** Returns the spot instrument of an entry. Throws ConfigError if its minimum is below one lot. */
function instrumentOf(entry: InstrumentEntry, digitsByAsset: ReadonlyMap<string, number>, file: string): Instrument {
  const { symbol, base, quote, priceDigits, quantityDigits, minQuantity } = entry;
  const minLots = minQuantity === undefined ? 1 : (scaleDown(minQuantity, quantityDigits) ?? 0);
  if (minLots < 1)
    throw new ConfigError(
      `${file} ${symbol} minQuantity: expected an amount above 0 with at most ${quantityDigits} decimals, got ${minQuantity}`,
      'raise minQuantity or quantityDigits',
    );
  return {
    id: instrumentId('spot', symbol),
    market: 'spot',
    wireName: symbol,
    base,
    quote,
    priceDigits,
    quantityDigits,
    quoteDigits: digitsByAsset.get(quote) ?? ASSET_DIGITS,
    baseDigits: digitsByAsset.get(base) ?? ASSET_DIGITS,
    minLots: lots(minLots),
    makerFeePpm: contractPpm(entry.makerFee ?? '0.001'),
    takerFeePpm: contractPpm(entry.takerFee ?? '0.001'),
  };
}

/**
 * Returns bars that match orders, with the marks and the funding of a contract. They are aggregated from finer bars if the catalog lacks
 * the interval.
 */
function rowsOf(store: BarStore, key: BarKey, instrument: Instrument, fromMs: number): InstrumentPrices {
  const { bars: catalogBars, firstRow, quality } = loadFeed(store, key, { fromMs, warmupRows: HISTORY_BARS }, 0);
  checkDigits(instrument, catalogBars.instrument);
  const bars = { ...catalogBars, instrument };
  const range = { fromMs, toMs: bars.closeMs[bars.length - 1] ?? fromMs };
  const contractData =
    instrument.market === 'futures'
      ? loadContracts([{ name: 'prices', bars: catalogBars, firstRow, quality }], store.series, 'auto', range).data.get(
          catalogBars.instrument.id,
        )
      : undefined;
  return {
    kind: 'matchingBars',
    rows: { bars, firstRow, marks: contractData?.marks ?? null, funding: contractData?.funding ?? [] },
    fromMs,
  };
}

/** Returns the state of an instrument at the venue. */
const stateOf = ({
  frozen = false,
  marketOrders = true,
  priceBand,
}: Pick<InstrumentEntry, 'frozen' | 'marketOrders' | 'priceBand'>): InstrumentState => ({
  frozen,
  marketTrading: marketOrders,
  priceBandPpm: priceBand === undefined ? 0 : contractPpm(priceBand),
});

/** Returns the operation of this name. Throws ConfigError, naming the file, for any other name. */
function opOf(name: string, file: string): Op {
  if (isOp(name)) return name;
  throw new ConfigError(`${file} off: ${name} is not an operation`, 'isobar api --list names them');
}

/** Returns the price source of an entry, with its bars or trades loaded. Throws ConfigError. */
function pricesOf(prices: NonNullable<InstrumentEntry['prices']>, instrument: Instrument, folder: string): InstrumentPrices {
  if ('price' in prices) return { kind: 'synthetic', price: prices.price, quantity: Number(prices.quantity ?? '1') };
  if ('trades' in prices) return { kind: 'trades', trades: readTradeFile(resolve(folder, prices.trades), instrument) };
  const interval = parseInterval(prices.interval);
  const fromMs = parseTime(prices.from);
  if (interval === null || fromMs === null)
    throw new ConfigError(
      `${instrument.id} prices: expected an interval and a time, got ${prices.interval} from ${prices.from}`,
      'see isobar data list',
    );
  const key = { market: instrument.market, symbol: prices.symbol ?? instrument.wireName, interval } as const;
  const catalog = resolve(folder, prices.catalog ?? 'data');
  if (prices.match === 'bars') return rowsOf(catalogStore(catalog), key, instrument, fromMs);
  const { bars, firstRow } = loadBars(catalog, key, { fromMs, warmupRows: HISTORY_BARS });
  checkDigits(instrument, bars.instrument);
  return { kind: 'bars', bars: { ...bars, instrument }, firstRow };
}

/** Throws ConfigError if the bars of the catalog have more decimals than the instrument. */
function checkDigits({ id, priceDigits, quantityDigits }: Instrument, inCatalog: Instrument): void {
  if (inCatalog.priceDigits <= priceDigits && inCatalog.quantityDigits <= quantityDigits) return;
  const message = `${id}: the bars have prices of ${inCatalog.priceDigits} and quantities of ${inCatalog.quantityDigits} decimals`;
  throw new ConfigError(message, 'give the instrument at least as many priceDigits and quantityDigits');
}

/** Returns an account of the config, with its keys loaded. */
function accountOf(
  { name, uid, balances = {}, futures, maxOpenOrders, keys = [], closed = false, restricted = false }: AccountEntry,
  folder: string,
): AccountConfig {
  return {
    name,
    uid: String(uid),
    balances,
    ...(futures === undefined ? {} : { futures: { balances: futures.balances, settings: settingsOf(futures) } }),
    ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }),
    closed,
    restricted,
    keys: keys.map((key) => keyOf(key, folder, `account ${name}`)),
  };
}

const settingsOf = ({ leverage, margin, positions }: NonNullable<AccountEntry['futures']>) => ({
  ...(leverage === undefined ? {} : { leverage }),
  ...(margin === undefined ? {} : { isCross: margin === 'cross' }),
  ...(positions === undefined ? {} : { isNet: positions === 'net' }),
});

type KeyEntry = NonNullable<AccountEntry['keys']>[number];

/** Reads an API key and its secret from their files. `where` names the account in errors. */
function keyOf(
  { keyFile, secretFile, read = true, trade = true, markets = ['spot', 'futures'], ips }: KeyEntry,
  folder: string,
  accountText: string,
): KeyConfig {
  return {
    apiKey: readKeyFile(resolve(folder, keyFile), `${accountText} keyFile`).take(),
    secret: readKeyFile(resolve(folder, secretFile), `${accountText} secretFile`).take(),
    permissions: { read, trade, markets },
    ips: ips ?? null,
  };
}
