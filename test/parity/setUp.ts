// Makes both halves of a parity run from one definition: an exchange whose prices are the backtest's rows, and the config of a bot.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { RATE_DIGITS } from '../../src/adapters/catalog/series/seriesColumns.ts';
import { storeSeries } from '../../src/adapters/catalog/series/seriesStore.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/barQuality.ts';
import type { ExchangeSettings, InstrumentPrices } from '../../src/paperExchange/process/file/settings.ts';
import { finestFeeds } from '../../src/definition/plan/finestFeeds.ts';
import type { FeedPlan, RunPlan } from '../../src/definition/plan/plan.ts';
import { pow10 } from '../../src/base/number/exact.ts';
import { rowsOf, type BarColumns } from '../../src/model/bars/bars.ts';
import type { FundingRates } from '../../src/model/bars/fundingRates.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import { fillTerms } from '../../src/venue/venueConfig.ts';
import { PROMPT_TIMES, type ReplyTimes } from './driver.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BOT_KEY = { apiKey: 'parity-key', secret: 'parity-secret' };

/**
 * Returns the plan with data in the form in which a live bot gets them. Volumes are whole lots, bars mark the positions, and funding rates have
 * their exact charge times, because the exchange publishes nothing else. Backtest and bot both run this plan.
 */
export function liveComparablePlan(plan: RunPlan): RunPlan {
  const feeds = plan.feeds.map((feed) => ({ ...feed, bars: inWholeLots(feed.bars) }));
  if (plan.futures === undefined) return { ...plan, feeds };
  const dataById = new Map(
    Array.from(plan.futures.data, ([id, contract]) => [id, { ...contract, marks: null, rates: atFundingTimes(contract.rates) }]),
  );
  return { ...plan, feeds, futures: { ...plan.futures, data: dataById } };
}

/** Returns the rates with their times rounded to whole minutes. */
function atFundingTimes(rates: FundingRates | null | undefined): FundingRates | null {
  if (!rates) return null;
  return { ...rates, timeMs: rates.timeMs.map((timeMs) => Math.round(timeMs / MINUTE_MS) * MINUTE_MS) };
}

/** Returns the bars with volumes in whole lots. */
function inWholeLots(bars: BarColumns): BarColumns {
  const lotsPerCoin = pow10(bars.instrument.quantityDigits);
  return { ...bars, volume: bars.volume.map((volume) => Math.round(volume * lotsPerCoin) / lotsPerCoin) };
}

/** Returns an exchange with the fees, fills and account of the plan, without rate limits. Its clock moves only in steps. */
export function exchangeOf(plan: RunPlan, { delayMs, thinkMs }: ReplyTimes = PROMPT_TIMES): ExchangeSettings {
  const { fees, fills, futures } = plan;
  const execution = finestFeeds(plan.feeds);
  const instruments = execution.map((feed) => withFees(feed.bars.instrument, plan));
  const spotBalances = futures === undefined ? plan.cash : {};
  return {
    service: {
      ...SERVICE_DEFAULTS,
      instruments,
      accounts: [
        {
          name: 'parity',
          uid: '10001',
          // A bot of both markets has funds for each.
          balances: plan.funds?.spot ?? spotBalances,
          ...futuresAccount(plan),
          keys: [{ ...BOT_KEY, permissions: { read: true, trade: true, markets: ['spot', 'futures'] }, ips: null }],
        },
      ],
      profile: profileOf({ lockedFormula: fees.in === 'quote' ? 'amountPlusFee' : 'amount', intervals: 'wide', marketOpenUnit: 'v101' }),
      feeRounding: fees.rounding,
      fills: fillTerms(fills),
      // Orders that arrive within this time after a bar count from the open of the next bar.
      rowGraceMs: delayMs + thinkMs,
      delays: { admissionMs: fills.latencyMs, visibilityMs: 0, cancelMs: fills.latencyMs },
      // No rate limits.
      limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])),
      liquidationFeePpm: futures?.liquidationFeePpm ?? SERVICE_DEFAULTS.liquidationFeePpm,
    },
    prices: new Map(execution.map((feed, index) => pricesOf(feed, instruments[index]!, plan))),
    seed: plan.seed,
    speed: null,
  };
}

/** Returns the futures part of the account; empty for a plan without futures. */
function futuresAccount({ futures, funds, cash }: RunPlan) {
  if (futures === undefined) return {};
  const { leverage, isCross, isNet } = futures;
  return { futures: { balances: funds?.futures ?? cash, settings: { leverage, isCross, isNet } } };
}

/** Returns the instrument with the fees of the definition. Contracts keep their own fees. */
function withFees(instrument: Instrument, { fees }: RunPlan): Instrument {
  return instrument.market === 'spot' ? { ...instrument, makerFeePpm: fees.makerPpm, takerFeePpm: fees.takerPpm } : instrument;
}

/** Returns the prices of an instrument: its bars, mark prices and funding. */
function pricesOf({ bars, firstRow }: FeedPlan, instrument: Instrument, { futures, fromMs }: RunPlan): [InstrumentId, InstrumentPrices] {
  const data = futures?.data.get(instrument.id);
  const rows = { bars: { ...bars, instrument }, firstRow, marks: data?.marks ?? null, funding: data?.funding ?? [] };
  return [instrument.id, { kind: 'matchingBars', rows, fromMs }];
}

/** Stores the funding rates before the run. Later ones come from the exchange. */
function storeRates(catalog: string, { id, wireName }: Instrument, { futures, fromMs }: RunPlan): void {
  const rates = futures?.data.get(id)?.rates;
  if (!rates) return;
  const length = rates.timeMs.findLastIndex((timeMs) => timeMs <= fromMs) + 1;
  const columns = { length, timeMs: rates.timeMs.slice(0, length), figures: [rates.rate.slice(0, length)], digits: RATE_DIGITS };
  storeSeries(catalog, { kind: 'funding', symbol: wireName }, columns, true);
}

/**
 * Writes the files of a bot into `folder`: a catalog that ends where the run begins, keys and a config. Returns the path of the config.
 * `definition` has the keys of the run's definition that a bot config has too.
 */
export function writeBot(folder: string, plan: RunPlan, definition: Readonly<Record<string, unknown>>, url: string): string {
  const catalog = join(folder, 'catalog');
  for (const { bars, firstRow } of plan.feeds) if (firstRow > 0) storeBars(catalog, rowsOf(bars, 0, firstRow), SYNTHETIC);
  for (const { bars } of finestFeeds(plan.feeds)) storeRates(catalog, bars.instrument, plan);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'key'), BOT_KEY.apiKey, { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), BOT_KEY.secret, { mode: 0o600 });
  const config = {
    ...definition,
    // A little longer than the 900 s between two audits (steppedBot.ts), so that a punctual audit is never too old.
    risk: { ...(definition['risk'] as object | undefined), maxAuditAgeMs: 1_000_000 },
    catalog,
    data: join(folder, 'bot'),
    exchange: {
      ...Object.fromEntries(plan.feeds.map(({ bars: { instrument } }) => [`${instrument.market}Url`, url])),
      keyFile: join(folder, 'key'),
      secretFile: join(folder, 'secret'),
      dialect: { marketOpen: 'v101', intervals: { spot: { '4h': '4h' }, futures: { '4h': '4h' } } },
    },
    bars: { delayMs: PROMPT_TIMES.delayMs, spreadMs: 0, graceMs: PROMPT_TIMES.graceMs },
    audit: { fullMs: DAY_MS },
    clock: { periodMs: HOUR_MS, maxUncertaintyMs: 400 },
  };
  const path = join(folder, 'bot.yaml');
  // JSON is also YAML.
  writeFileSync(path, JSON.stringify(config, null, 2));
  return path;
}
