// Reruns the strategies of a bot over its period: a backtest that takes the first causes of differences from the journal.

import { catalogStore } from '../../adapters/catalog/bars/barStore.ts';
import type { Importer } from '../../adapters/plugins/loadModule.ts';
import { loadContracts } from '../../definition/marks/loadContracts.ts';
import type { FeedPlan, RunPlan } from '../../definition/plan/plan.ts';
import { resolveRun, type ResolveOptions } from '../../definition/resolve.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FillColumns, OrderColumns, PaymentColumns, RunRecord } from '../../model/run/run.ts';
import { feedRecordsOf, runQuoteAssets } from '../backtest/run/quoteAssets.ts';
import { prepareBacktest, type PreparedRun } from '../backtest/run/runBacktest.ts';
import type { LiveBehaviour } from '../bot/config/liveConfig.ts';
import { catalogOf } from '../bot/feeds/liveFeeds.ts';
import { withRiskDefaults } from '../bot/config/riskDefaults.ts';
import { feedsFor, undecidedInstants, type CatalogFeed } from './catalogFeeds.ts';
import { DIVERGENCES, type Divergence } from './divergences.ts';
import { RecordedExchange } from './recordedExchange.ts';
import type { RecordedRun } from './recordedRun.ts';
import { latencyIn, RerunScript, unitsText } from './rerunScript.ts';

/** The inputs of a rerun. */
export interface RerunDeps {
  readonly behaviour: LiveBehaviour;
  readonly feeds: readonly CatalogFeed[];
  /** External series with the rows that the bot knew. */
  readonly known: RunPlan['series'];
  readonly run: RecordedRun;
  /** The instruments with which the bot traded. */
  readonly instruments: readonly Instrument[];
  readonly fromMs: number;
  /** Latency of the backtest; null: that of the config. */
  readonly latencyMs: number | null;
  readonly load?: ResolveOptions['load'];
}

/** The quote assets of a run, with the bars whose closes value them in the reporting asset. */
export type ValuedQuoteAssets = Pick<RunRecord, 'quoteAssets' | 'instruments' | 'feeds'>;

/** The result of a rerun. */
export interface Rerun {
  readonly feeds: readonly FeedPlan[];
  readonly instruments: readonly Instrument[];
  readonly undecided: ReadonlySet<number>;
  readonly orders: OrderColumns;
  readonly fills: FillColumns;
  readonly payments: PaymentColumns;
  /** Latency of orders and cancels, as long as none is taken from the journal. */
  readonly latencyMs: number;
  /** The assets of the run and the bars that value them. */
  readonly assets: ValuedQuoteAssets;
  /** Net profit in the reporting asset, a decimal. */
  readonly net: string;
}

/** Runs the strategies again. The first `steps` causes of DIVERGENCES are taken from the journal. */
export async function rerunStrategies(deps: RerunDeps, steps: number): Promise<Rerun> {
  const { behaviour, run, instruments, fromMs, load, known } = deps;
  const isOn = (cause: Divergence): boolean => DIVERGENCES.indexOf(cause) < steps;
  const feeds = feedsFor(deps.feeds, run, isOn('rounding') ? instruments : null, isOn);
  const basePlan = await planOf(behaviour, feeds, { fromMs, toMs: run.lastMs }, { load, known });
  const latencyMs = deps.latencyMs ?? basePlan.fills.latencyMs;
  const plan = { ...basePlan, fills: { ...basePlan.fills, latencyMs } };
  const undecided = undecidedInstants(deps.feeds, run, isOn);
  const script = new RerunScript(run, steps, { latencyMs, feeds, undecided });
  const exchanges: RecordedExchange[] = [];
  const { engine, loop } = await prepareBacktest(plan, {
    makeExchange: (queue, options) => {
      const exchange = new RecordedExchange(queue, options, script);
      exchanges.push(exchange);
      return exchange;
    },
    latency: isOn('latency') && isLate(run, feeds, latencyMs) ? script : null,
  });
  script.attach(engine, (ms) => exchanges.forEach((exchange) => exchange.bookKnown(ms)));
  if (engine.decidesPerFeed && isOn('latency')) engine.parts.orderAt = receivedFeedOrder(run, engine);
  loop(engine);
  script.payUntil(run.lastMs);
  return {
    feeds,
    instruments: engine.instruments,
    undecided,
    orders: engine.orders.columns(),
    fills: engine.fills.columns(),
    payments: engine.payments.columns(),
    assets: { ...runQuoteAssets(plan, engine), instruments: engine.instruments, feeds: feedRecordsOf(plan, engine) },
    net: netOf(engine),
    latencyMs,
  };
}

/**
 * For `decide: perFeed`. Returns a function that gives the order in which the bot received the feeds of an instant. Feeds without a bar
 * follow.
 */
function receivedFeedOrder({ records }: RecordedRun, { feeds, parts }: PreparedRun['engine']): (t: number) => readonly number[] {
  const order = new Map<number, number[]>();
  for (const record of records) {
    if (record.k !== 'INSTANT' || !record.decided) continue;
    const earlier = order.get(record.atMs) ?? [];
    order.set(record.atMs, [...earlier, ...record.bars.map(([feed]) => feeds[feed!]!.instrumentIndex)]);
  }
  return (t) => [...new Set([...(order.get(t) ?? []), ...parts.byNeed])];
}

/** Returns the net profit of an engine since its start, a decimal. */
export function netOf(engine: PreparedRun['engine']): string {
  const marks = engine.marks();
  const units = engine.runs.reduce((sum, _, strategy) => sum + engine.ledger.equityUnits(strategy, marks), 0);
  return unitsText(units - engine.startUnits, engine.ledger.cashDigits);
}

/** Number of importers in this process. It makes each module address new. */
const importers = { count: 0 };

/**
 * Returns an importer that loads every module again. Variables outside of a class then have their first values, as at each start of a bot.
 */
function freshImporter(): Importer {
  const query = `rerun=${++importers.count}`;
  return (url) => import(/* @vite-ignore */ `${url}?${query}`);
}

/** Returns the plan of a rerun: the definition of the bot with the given feeds and range. */
async function planOf(
  { source, definition, timeScale }: LiveBehaviour,
  feeds: readonly FeedPlan[],
  range: { readonly fromMs: number; readonly toMs: number },
  { load, known }: Pick<RerunDeps, 'known'> & { readonly load: ResolveOptions['load'] },
): Promise<RunPlan> {
  const contractFeeds = feeds.filter(({ bars }) => bars.instrument.contract !== undefined);
  const { series } = catalogStore(catalogOf({ definition, source }));
  const loaded = contractFeeds.length === 0 ? undefined : loadContracts(contractFeeds, series, 'bars', range);
  // A bot values its positions by the prices of bars, so mark prices are not used here.
  const data = new Map([...(loaded?.data ?? [])].map(([id, contract]) => [id, { ...contract, marks: null }]));
  const { plan } = await resolveRun(source, {
    feeds,
    series: known,
    contracts: loaded === undefined ? undefined : { ...loaded, data },
    ...(load ? { load } : {}),
    importer: freshImporter(),
  });
  return { ...plan, ...range, risk: withRiskDefaults(plan.risk, timeScale) };
}

/** Returns true when an order took longer than the latency of the definition, in whole rows. */
const isLate = (run: RecordedRun, feeds: readonly FeedPlan[], latencyMs: number): boolean =>
  run.orders.some((order) => (latencyIn(order, run, feeds) ?? 0) > latencyMs);
