// The envelope of a backtest: the terms on which its venue filled orders, and what they say about it.

import type { ContractData } from '../../../model/bars/contractData.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { EnvelopeFinder, type RunEnvelope } from '../../../report/envelope/envelopeFinder.ts';
import type { EnvelopeTerms, FinerRows } from '../../../report/envelope/terms.ts';
import { BEST_AND_WORST, envelopeLanes } from './envelopeLanes.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { PreparedRun } from './runBacktest.ts';

/** Returns the envelope of a finished run whose decisions were kept; null if they were not. */
export async function envelopeOf(
  plan: RunPlan,
  prepared: PreparedRun,
  record: RunRecord,
  finer: FinerRows | null,
  progressCells: Int32Array | null = null,
): Promise<RunEnvelope | null> {
  const { decisions } = record;
  if (decisions === undefined) return null;
  const finder = new EnvelopeFinder(record, decisions, termsOf(plan, prepared), finer);
  if (finder.isCertain) return finder.result([], null);
  // If finer rows were read, one lane matches them in the ambiguous rows. It equals a run over all finer rows if they decide every such row.
  if (finer !== null && finer.read > 0) {
    const rows = finer.forRefinedRun(finder.isBound);
    const [refined = null] = (await envelopeLanes(plan, [{ eventOrder: null, finer: rows }], progressCells)) ?? [];
    // The sums of the entries are a bound without it.
    return finder.result([], finder.isBound && rows.isCutOff ? null : refined);
  }
  // Where the sums of the entries are a bound, a lane cannot lead out of them.
  if (finder.isBound) return finder.result([], null);
  return finder.result((await envelopeLanes(plan, BEST_AND_WORST, progressCells)) ?? [], null);
}

/** Returns the fees, fills and contract terms by which the envelope values orders. */
function termsOf(plan: RunPlan, prepared: Pick<PreparedRun, 'engine' | 'venue'>): EnvelopeTerms {
  const { fees, fills, futures } = plan;
  const data = (instrument: Instrument): ContractData | undefined => futures?.data.get(instrument.id);
  return {
    makerPpm: fees.makerPpm,
    takerPpm: fees.takerPpm,
    feesIn: fees.in,
    fillsAtTouch: fills.limit === 'touch',
    slippageTicks: fills.slippageTicks,
    slippagePpm: fills.slippagePpm,
    collarPpm: fills.collarPpm,
    latencyMs: fills.latencyMs,
    leverage: futures?.leverage ?? 1,
    fundingOf: (instrument) => data(instrument)?.funding ?? [],
    reasons: reasonsOf(plan, prepared),
    reasonsIfAmbiguous: reasonsIfAmbiguous(plan, prepared.engine.instruments.length),
  };
}

/** Limits of an order by itself. What is held, and what it is worth, does not matter to them. */
const OF_ONE_ORDER: ReadonlySet<string> = new Set(['maxOrderQty', 'maxOrderNotional', 'priceBand']);
/** Limits of one symbol: with one entry at a time they are limits of that entry. */
const OF_ONE_SYMBOL: ReadonlySet<string> = new Set(['maxPositionQty', 'maxPositionNotional', 'maxOpenOrders']);

function reasonsIfAmbiguous(plan: RunPlan, instruments: number): string[] {
  const limits = limitsOnHoldings(plan, instruments).map((key) => `the limit ${key} depends on what is held`);
  return plan.funds === undefined ? limits : [...limits, 'it trades on two accounts'];
}

/** Returns the risk limits whose verdict depends on earlier fills. */
function limitsOnHoldings({ risk }: RunPlan, instruments: number): string[] {
  return Object.keys(risk).filter((key) => !OF_ONE_ORDER.has(key) && !(instruments === 1 && OF_ONE_SYMBOL.has(key)));
}

/** Why the settings of a run leave its envelope no bound, in words. */
function reasonsOf({ fills, models }: RunPlan, { engine, venue }: Pick<PreparedRun, 'engine' | 'venue'>): string[] {
  const reasons: string[] = [];
  if (fills.latencyMs > 0) reasons.push('orders have latency');
  if (fills.maxVolumeSharePpm > 0) reasons.push('fills are capped by volume');
  if (models?.slippage) reasons.push('a slippage model of its own decides prices');
  if (models?.fees) reasons.push('a fee model of its own decides fees');
  if ((models?.modules ?? []).length > 0 || venue === null) reasons.push('modules replace parts of the exchange');
  if ((models?.rules ?? []).length > 0) reasons.push('risk rules of its own may refuse orders');
  if (engine.risk.watchesEquity) reasons.push('a risk limit watches equity');
  return reasons;
}
