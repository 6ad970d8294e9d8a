// Compares a bot with a backtest over the same period: finds the first event that differs, its cause, and the bridge of money.

import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { ResolveOptions } from '../../definition/resolve.ts';
import { MeasuredAbsenceBounds } from '../../orders/prove/absenceBounds.ts';
import { openJournalOfFolder } from '../bot/decisions/replayFolder.ts';
import { planLifetime } from '../bot/decisions/replayJournal.ts';
import type { Lifetime } from '../bot/lifetime/lifetime.ts';
import { replayLifetime } from '../bot/lifetime/replayLifetime.ts';
import { changesSince } from '../bot/lifetime/startRecords.ts';
import { differencesOf, type ListedDifference } from './differences.ts';
import { catalogFeeds, feedsFor } from './catalogFeeds.ts';
import { DIVERGENCES, type BridgeStep, type Divergence, type DivergenceReport } from './divergences.ts';
import { comparedRecords, readRecordedRun, type RecordedRun } from './recordedRun.ts';
import { netOf, rerunStrategies, type Rerun, type RerunDeps } from './rerunStrategies.ts';
import { medianLatency } from './rerunScript.ts';
import { tradeBridge } from './tradeBridge.ts';

/** What the caller of a comparison may choose. */
export interface ParityOptions {
  /** Null: the config with which the bot was started. */
  readonly config: string | null;
  readonly load?: ResolveOptions['load'];
  /** Latency of the backtest in ms, or `measured` for the latency of the bot. The default is the latency of the config. */
  readonly latency?: number | 'measured';
  /** Called before each step. */
  readonly onStep?: OnStep;
}

/** Reports a step by its name, its position from 0, and the number of steps. */
type OnStep = (name: string, step: number, stepCount: number) => void;

/** Every cause has a rerun, except the last one. Its amount is the difference between the last rerun and the books of the bot. */
const RERUNS = DIVERGENCES.length;

/** Returns the comparison. Throws ConfigError for a folder without a bot, a changed config, or a catalog without the bot's bars. */
export async function compareBot(folder: string, { config, load, latency, onStep = () => {} }: ParityOptions): Promise<DivergenceReport> {
  const { records, behaviour, instruments } = openJournalOfFolder(folder, config);
  const loads = load ? { load } : {};
  onStep('the journal', 0, RERUNS + 1);
  const { lifetime, plan } = await planLifetime(comparedRecords(records), behaviour, { instruments, ...loads });
  const run = comparableRun(folder, lifetime);
  const feeds = catalogFeeds(behaviour, lifetime, run);
  const live = await replayedResult(lifetime, plan, behaviour.proof);
  const barsOfBacktest = feedsFor(feeds, run, null, () => false);
  const measuredLatency = medianLatency(run, barsOfBacktest);
  const receivedBars = feedsFor(feeds, run, instruments, () => true);
  const latencyMs = latency === 'measured' ? (measuredLatency.ms ?? 0) : (latency ?? null);
  const deps = { behaviour, feeds, known: plan.series, run, instruments, fromMs: lifetime.fromMs, latencyMs, ...loads };
  onStep('backtest', 1, RERUNS + 1);
  const backtest = await rerunStrategies(deps, 0);
  const [first = null] = differencesOf(backtest, run);
  const { steps, cause } = await bridgeCauses(deps, { backtest, first, live }, onStep);
  const bridge = steps.filter(({ amount }) => amount !== '0');
  const explainedNet = bridge.reduce((sum, { amount }) => sum.plus(amount), new Decimal(backtest.net));
  return {
    latency: {
      backtestMs: backtest.latencyMs,
      from: latencySource(latency),
      measuredMs: measuredLatency.ms,
      orders: measuredLatency.orders,
    },
    equal: first === null && backtest.net === live.net,
    first: first === null ? null : { seq: first.seq, time: first.time, what: first.what, backtest: first.backtest, live: first.live },
    cause: cause ?? bridge[0]?.cause ?? null,
    changes: changesSince(lifetime, plan),
    bridge,
    residual: new Decimal(live.net).minus(explainedNet).toFixed(),
    ...tradeBridge(backtest, run, { net: live.net, feeds: receivedBars }),
    net: { asset: live.asset, backtest: backtest.net, live: live.net },
    name: plan.name,
    fromMs: lifetime.fromMs,
    toMs: run.lastMs,
    bars: run.decided.size,
    orders: run.orders.length,
    fills: run.fillCount,
  };
}

/** Returns the recorded run of a lifetime. Throws ConfigError if a backtest cannot begin as it did, or if it has no decision. */
function comparableRun(folder: string, lifetime: Lifetime): RecordedRun {
  if (lifetime.before.some(({ k }) => k === 'FILL' || k === 'FUNDED')) {
    throw new ConfigError(
      `${folder}: the strategies of this bot started over, and took over the trades of the earlier strategies`,
      'a backtest begins with cash alone: compare a bot whose strategies started once',
    );
  }
  const run = readRecordedRun(lifetime);
  if (run.decided.size === 0) throw new ConfigError(`${folder}: the bot has not decided on a bar`, 'let the bot run for some bars first');
  return run;
}

/** The bot's own result. */
interface LiveResult {
  /** Net profit by the books of the bot, in money, a decimal. */
  readonly net: string;
  /** The asset of the money. */
  readonly asset: string;
  /** True when the strategies decide the same again over the journal. */
  readonly isDeterministic: boolean;
}

/** Replays the bot over its journal, and returns its result. */
async function replayedResult(
  lifetime: Lifetime,
  plan: RunPlan,
  proof: ConstructorParameters<typeof MeasuredAbsenceBounds>[0],
): Promise<LiveResult> {
  const { replay, engine } = await replayLifetime(lifetime, plan, {
    absenceBounds: new MeasuredAbsenceBounds(proof),
    isTorn: false,
    stopsAtDifference: false,
  });
  return { net: netOf(engine), asset: engine.ledger.cashAsset, isDeterministic: replay.comparison.difference === null };
}

/** The backtest and the bot, and the first event that differs. */
interface ComparedRuns {
  readonly backtest: Rerun;
  readonly first: ListedDifference | null;
  readonly live: LiveResult;
}

/** Reruns the backtest with one more cause at a time, and returns the money of each. No rerun is needed when both are equal. */
async function bridgeCauses(deps: RerunDeps, { backtest, first, live }: ComparedRuns, onStep: OnStep): Promise<StepBridge> {
  const bridge = new StepBridge(backtest, first);
  if (first === null && backtest.net === live.net) return bridge;
  if (first !== null && !live.isDeterministic && !isSame(await rerunStrategies(deps, 0), backtest)) {
    // Two reruns with the same causes differ, so the effect of a cause could not be separated from chance.
    bridge.add('strategy not deterministic', live.net, []);
    return bridge;
  }
  for (let step = 1; step < RERUNS; step++) {
    const cause = DIVERGENCES[step - 1]!;
    onStep(cause, step + 1, RERUNS + 1);
    const rerun = await rerunStrategies(deps, step);
    const remaining = differencesOf(rerun, deps.run);
    // The step of the operator is the replay of the whole journal: strategies decide again, and every outcome is the recorded one.
    const isReplayed = step === RERUNS - 1 && live.isDeterministic;
    if (isReplayed) bridge.add(cause, live.net, []);
    else bridge.add(cause, rerun.net, remaining);
  }
  bridge.add('strategy not deterministic', live.net, []);
  return bridge;
}

/** Returns where the latency of the backtest is from. */
function latencySource(latency: ParityOptions['latency']): 'config' | 'measured' | 'option' {
  if (latency === undefined) return 'config';
  return latency === 'measured' ? 'measured' : 'option';
}

/** Returns true when two reruns with the same causes have the same orders and fills. */
const isSame = (a: Rerun, b: Rerun): boolean => a.net === b.net && columnsText(a) === columnsText(b);

/** Returns the orders and fills of a rerun as text, for the comparison with another rerun. */
function columnsText({ orders, fills }: Rerun): string {
  const columns = [orders.lots, orders.quoteUnits, orders.createdMs, fills.lots, fills.price, fills.timeMs];
  return columns.map((column) => column.join(' ')).join('\n');
}

/** Adds up the change of the net profit by each cause. */
class StepBridge {
  readonly steps: BridgeStep[] = [];
  /** The first cause that removes the first difference. Null before it is found. */
  cause: Divergence | null = null;
  readonly #first: ListedDifference | null;
  #net: string;

  constructor({ net }: Rerun, first: ListedDifference | null) {
    this.#net = net;
    this.#first = first;
  }

  /** Adds the step of a cause, with the net profit and the remaining differences after it. */
  add(cause: Divergence, net: string, remaining: readonly ListedDifference[]): void {
    this.steps.push({ cause, amount: new Decimal(net).minus(this.#net).toFixed() });
    this.#net = net;
    const first = this.#first;
    if (first !== null && !remaining.some(({ id }) => id === first.id)) this.cause ??= cause;
  }
}
