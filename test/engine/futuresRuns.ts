// Plans of futures over random bars or given rows, and runs of them whose books are checked.

import type { ContractData, FundingTime } from '../../src/model/bars/contractData.ts';
import type { FuturesPlan, RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from '../../src/tasks/backtest/run/runBacktest.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { ROLES, type RunRecord } from '../../src/model/run/run.ts';
import { MINUTE, planFor, START_MS, walkBars, type PlanOptions } from './backtestFixture.ts';

/** An account in cross and net mode with a leverage of 10, without marks and funding. */
export const FUTURES: FuturesPlan = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data: new Map() };

/** Returns contract data without marks, with the same funding for each contract. */
export const fundedAt = (instruments: readonly Instrument[], funding: readonly FundingTime[]): Map<InstrumentId, ContractData> =>
  new Map(instruments.map(({ id }) => [id, { marks: null, funding }]));

const WALK = { rows: 600, missing: 0.03, step: 4000, start: 400_000 };

/** Returns nine hourly fundings that come 5 ms late, at rates of either sign. */
export function fundingOf(seed: number): FundingTime[] {
  const rng = seededRng(seed);
  return Array.from({ length: 9 }, (_, index) => ({
    timeMs: START_MS + index * 60 * MINUTE + 5,
    rate: Math.round((rng.next() - 0.4) * 4e9),
    markTicks: 400_000 + Math.round(rng.next() * 1000),
  }));
}

/** Returns a plan over random bars of contracts with funding. Every feed has the name `all`. */
export function randomFuturesPlan(
  instruments: readonly Instrument[],
  options: Omit<PlanOptions, 'feeds'>,
  terms: Partial<FuturesPlan> = {},
  seed = 1,
): RunPlan {
  const bars = instruments.map((instrument, index) => walkBars({ ...WALK, instrument, seed: seed + index }));
  const cash = { [instruments[0]!.quote]: instruments[0]!.quote === 'BTC' ? '0.1' : '5000' };
  const dataById = new Map<InstrumentId, ContractData>(
    instruments.map(({ id }, index) => [id, { marks: null, funding: fundingOf(seed + index) }]),
  );
  return {
    ...planFor({ feeds: { all: bars }, cash, size: { equity: '0.5' }, ...options }),
    futures: { ...FUTURES, data: dataById, ...terms },
  };
}

let currentRun: PreparedRun | null = null;
/** Compares the books of bot and venue in the run in progress. For the callbacks of strategies. */
export function checkCurrentBooks(): void {
  currentRun!.checkBooks();
}
/** Runs a plan, and checks the books at its end. */
export async function runPlan(plan: RunPlan): Promise<{ readonly record: RunRecord; readonly finishedRun: PreparedRun }> {
  const finishedRun = await prepareBacktest(plan, {});
  currentRun = finishedRun;
  finishedRun.loop(finishedRun.engine);
  finishedRun.engine.ledger.assertReconciled();
  return { record: runRecordOf(plan, finishedRun, false), finishedRun };
}

/** Returns the number of orders with this role. */
export const countRole = ({ orders }: RunRecord, role: (typeof ROLES)[number]) => orders.role.filter((code) => ROLES[code] === role).length;
