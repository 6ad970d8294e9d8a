// Tests that the true net profit lies inside the envelope of a run. The run sees bars only; the path of single ticks inside them is the truth.

import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { envelopeOf } from '../../src/tasks/backtest/run/envelope.ts';
import { memoryRows, type RowReader } from '../../src/adapters/catalog/bars/rowReader.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { OpenFinerRows } from '../../src/tasks/backtest/run/finerRows.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { RunEnvelope } from '../../src/report/envelope/envelopeFinder.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { envelopeOf as builtEnvelopeOf } from '../../dist/tasks/backtest/run/envelope.js';
import { prepareBacktest as builtPrepare, runRecordOf as builtRecordOf } from '../../dist/tasks/backtest/run/runBacktest.js';
import { caseOf, type Case } from './envelopeCase.ts';
import { SHIPPED, shippedCase } from './envelopeShipped.ts';
import { naiveNet } from './envelopeNaive.ts';
import type { Plan } from './envelopeWorld.ts';
import { tradesOfTicks } from '../fixtures/tradesOfTicks.ts';

/** `npm run campaign -- envelope --cases 500` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 20_261_127);
const CASE_COUNT = Number(ISOBAR_CASES ?? 12);
const HOURS = ISOBAR_CASES === undefined ? 100 : 600;

/** Money of every run, and how many basis points one unit of it is. */
const CASH = 10_000;
const toBasisPoints = (money: number): number => (money / CASH) * 1e4;
/** Tolerance for net profits that must be equal, in money: the error of binary floating point. */
const FLOAT_ERROR = 1e-9;

/** A plan on spot without a trailing stop, slippage and funding. */
const SPOT_LONG: Partial<Plan> = { isFutures: false, isLong: true, trailing: 0, slippageTicks: 0, slippagePpm: 0, funding: 0 };

/** A run with its envelope. */
interface RunWithEnvelope {
  readonly record: RunRecord;
  readonly envelope: RunEnvelope['envelope'];
  readonly band: RunEnvelope['band'];
}

/** Runs a plan to its end. With `fine` rows the envelope is refined by what happened inside the bars. */
async function finish(
  plan: RunPlan,
  fine: BarColumns | null = null,
  rows: RowReader | null = fine && memoryRows(fine),
): Promise<RunWithEnvelope> {
  const prepared = await prepareBacktest(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  const finer = fine === null ? null : new OpenFinerRows(new Map([[fine.instrument.id, rows!]]), record);
  return { record, ...(await envelopeOf(plan, prepared, record, finer))! };
}

/** As `finish`, by the built package, which alone can load the shipped strategy files. */
async function finishBuilt(plan: RunPlan): Promise<RunWithEnvelope> {
  const prepared = await (builtPrepare as object as typeof prepareBacktest)(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = (builtRecordOf as object as typeof runRecordOf)(plan, prepared, false);
  return { record, ...(await (builtEnvelopeOf as object as typeof envelopeOf)(plan, prepared, record, null))! };
}

/** Returns the net profit of a run in money. */
function netOf({ equity, startUnits, reportingDigits }: RunRecord): number {
  return (equity.units[equity.length - 1]! - startUnits) / 10 ** reportingDigits;
}

/** Returns the lowest and the highest net profit of an envelope, in money. */
function boundsOf({ netProfit }: RunEnvelope['envelope']): readonly [low: number, high: number] {
  return [Number(netProfit.low), Number(netProfit.high)];
}

/** True when the band around the equity ends at the lowest and the highest net profit, to a fiftieth of the distance between them. */
function endsAtLine({ record, envelope, band }: RunWithEnvelope): boolean {
  const last = record.equity.length - 1;
  const nets = [band!.low, band!.high].map((side) => (side[last]! - record.startUnits) / 10 ** record.reportingDigits);
  const [low, high] = boundsOf(envelope);
  return [low, high].every((net, index) => Math.abs(net - nets[index]!) <= (high - low) / 50);
}

/** Returns the net profits of the naive venue, in money, for every rule by which a limit order may fill inside a bar. */
function naiveNets({ plan, path, ticksPerBar }: Case, reportingDigits: number): number[] {
  // The naive venue knows neither funding nor slippage in proportion to the price.
  if (plan.slippagePpm > 0 || plan.funding !== 0) return [];
  // Digits: of a unit of money, less those of a tick and of a lot.
  const unitsPerTick = plan.isFutures ? 10 ** (4 - 3 - 2) : 10 ** (8 - 2 - 3);
  const touchRules = plan.limit === 'touch' ? [true] : [true, false];
  const rules = touchRules.flatMap((atTouch) => [true, false].map((isMaker) => ({ atTouch, isMaker })));
  return rules.map((rule) => naiveNet({ plan, path, ticksPerBar, rule, unitsPerTick }) / 10 ** reportingDigits);
}

describe('the envelope', () => {
  it(`the envelope holds the truth in ${CASE_COUNT} of ${CASE_COUNT} runs on bars alone`, { timeout: 3_600_000 }, async () => {
    let exactRuns = 0;
    let openRuns = 0;
    let widthSum = 0;
    for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
      const testCase = caseOf(seed, HOURS);
      const { plan } = testCase;
      const { record, envelope, band } = await finish(testCase.runPlan);
      const [low, high] = boundsOf(envelope);
      const asRun = Number(envelope.netProfit.asRun);
      const where = `seed ${seed}: ${JSON.stringify({ plan, envelope })}`;
      expect(envelope.kind, where).toBe('bound');
      expect(low <= asRun && asRun <= high, where).toBe(true);
      if (envelope.ambiguousFills === 0) expect([low, high], where).toEqual([asRun, asRun]);
      const distanceOf = (net: number) => Math.max(low - net, net - high);
      const { record: truth } = await finish(testCase.withTicks);
      const trueNet = netOf(truth);
      expect(distanceOf(trueNet), `isobar over the ticks ${trueNet}, ${where}`).toBeLessThanOrEqual(FLOAT_ERROR);
      // The naive venue does not round. Fees in coins are rounded to the lot, so they differ most.
      const roundingOfNaive = 2e-4 * Math.sqrt(record.fills.length) + (plan.feesIn === 'received' ? 1e-3 * record.fills.length : 0);
      for (const net of naiveNets(testCase, record.reportingDigits))
        expect(distanceOf(net), `the naive venue ${net}, ${where}`).toBeLessThanOrEqual(roundingOfNaive);
      expect(band === null, where).toBe(envelope.ambiguousFills === 0);
      if (low === high) exactRuns++;
      else openRuns++;
      widthSum += high - low;
    }
    const meanWidth = toBasisPoints(widthSum / Math.max(1, openRuns)).toFixed(1);
    console.log(`envelope: ${CASE_COUNT} runs from seed ${SEED}, low = high in ${exactRuns}, mean width of the others ${meanWidth} bp`);
    recordResult({ runs: CASE_COUNT, exact: exactRuns, open: openRuns, width: widthSum / CASH });
  });

  it.each<[string, Partial<Plan>, string]>([
    ['stop entries with a limit', { kind: 'trigger', entryLimit: 1 }, 'it has stop entries with a limit on spot'],
    [
      'several targets with fees from coins',
      { kind: 'market', target: 2, ladder: [2], feesIn: 'received' },
      'its entries have several targets, and fees are taken from coins',
    ],
  ])('on spot, %s say scenario, not bound, and why', async (_, changed, why) => {
    const { envelope } = await finish(caseOf(SEED, 40, { changed: { ...SPOT_LONG, ...changed } }).runPlan);
    expect(envelope.kind).toBe('scenario');
    expect(envelope.notBoundBecause).toContain(why);
  });

  it('refined as far as a tenth of the ticks goes, the envelope still holds the truth', { timeout: 3_600_000 }, async () => {
    let cases = 0;
    /** Cases that read nearly all rows that a refinement may read. */
    let exhaustedCases = 0;
    for (let seed = SEED; cases < CASE_COUNT * 2; seed++) {
      const { runPlan, withTicks, fine } = caseOf(seed, HOURS);
      const { envelope } = await finish(runPlan, fine);
      if (envelope.refinedRows === null || envelope.kind !== 'bound') continue;
      cases++;
      const { read, all } = envelope.refinedRows;
      if (read > all * 0.075) exhaustedCases++;
      const [low, high] = boundsOf(envelope);
      const trueNet = netOf((await finish(withTicks)).record);
      const where = `seed ${seed}: ${JSON.stringify(envelope)}, over the ticks ${trueNet}`;
      expect(read, where).toBeLessThanOrEqual(all / 10);
      expect(Math.max(low - trueNet, trueNet - high), where).toBeLessThanOrEqual(FLOAT_ERROR);
    }
    expect(exhaustedCases).toBeGreaterThan(0);
    console.log(`refined: ${cases} runs hold the truth, ${exhaustedCases} of them read all that may be read`);
  });

  it(
    'a lane that needs more than a tenth of the ticks is left out, and the envelope still holds the truth',
    { timeout: 60_000 },
    async () => {
      // In this run entries read 8 % of the ticks, and the lane needs 11.6 % to follow the bars that they began.
      const { runPlan, withTicks, fine } = caseOf(641, 600);
      const { envelope } = await finish(runPlan, fine);
      const [low, high] = boundsOf(envelope);
      const trueNet = netOf((await finish(withTicks)).record);
      expect(envelope.refinedRows!.read).toBeLessThanOrEqual(envelope.refinedRows!.all / 10);
      expect(envelope).toMatchObject({ kind: 'bound', ambiguousFills: 0 });
      expect(Math.max(low - trueNet, trueNet - high)).toBeLessThanOrEqual(FLOAT_ERROR);
      expect(toBasisPoints(high - low)).toBeLessThanOrEqual(1);
    },
  );

  it(
    'refined with the ticks comes within 1 bp of the run over all of them, and reads less than a tenth',
    { timeout: 3_600_000 },
    async () => {
      const worst = { distanceBp: 0, readShare: 0 };
      let cases = 0;
      let widthBefore = 0;
      let widthAfter = 0;
      for (let seed = SEED; cases < CASE_COUNT / 4; seed++) {
        const { runPlan, withTicks, fine } = caseOf(seed, HOURS, { minPeriod: 40 });
        const { envelope: coarse } = await finish(runPlan);
        if (coarse.ambiguousFills === 0) continue;
        cases++;
        const { envelope: refined } = await finish(runPlan, fine);
        const { record: truth } = await finish(withTicks);
        const trueNet = netOf(truth);
        const [low, high] = boundsOf(refined);
        const { read, all } = refined.refinedRows!;
        const where = `seed ${seed}: ${JSON.stringify(refined)}, over the ticks ${trueNet}`;
        expect(refined.refinedWith, where).toBe('1m');
        const distanceBp = toBasisPoints(Math.max(Math.abs(low - trueNet), Math.abs(high - trueNet)));
        worst.distanceBp = Math.max(worst.distanceBp, distanceBp);
        worst.readShare = Math.max(worst.readShare, read / all);
        widthBefore += Number(coarse.netProfit.high) - Number(coarse.netProfit.low);
        widthAfter += high - low;
        expect(distanceBp, where).toBeLessThanOrEqual(1);
        expect(read, where).toBeLessThan(all / 10);
        // The ticks as trades of a catalog give the same envelope.
        const { folder, reader } = tradesOfTicks(fine);
        const { envelope: ofTrades } = await finish(runPlan, fine, reader);
        rmSync(folder, { recursive: true });
        expect(ofTrades, where).toEqual({ ...refined, refinedWith: 'trades' });
      }
      const width = widthAfter / widthBefore;
      console.log(
        `refined: ${cases} runs, at most ${worst.distanceBp.toFixed(4)} bp off the run over the ticks, at most ` +
          `${(worst.readShare * 100).toFixed(1)} % of them read, width ${width.toFixed(4)} of before`,
      );
      recordResult({ refined: cases, off: worst.distanceBp, share: worst.readShare, width });
    },
  );

  it('the envelope holds most runs of the shipped strategies, which read their positions', { timeout: 3_600_000 }, async () => {
    const runs = Math.ceil(CASE_COUNT / 40);
    const lines: string[] = [];
    let enclosedRuns = 0;
    let allRuns = 0;
    for (const file of SHIPPED) {
      let enclosedCount = 0;
      let boundCount = 0;
      let ambiguousCount = 0;
      let maxDistance = 0;
      for (let seed = SEED; seed < SEED + runs; seed++) {
        const { runPlan, withTicks } = await shippedCase(file, seed, HOURS);
        const { envelope } = await finishBuilt(runPlan);
        const { record: truth } = await finishBuilt(withTicks);
        const trueNet = netOf(truth);
        const [low, high] = boundsOf(envelope);
        const isEnclosed = low - FLOAT_ERROR <= trueNet && trueNet <= high + FLOAT_ERROR;
        const where = `${file}, seed ${seed}: ${trueNet} in ${JSON.stringify(envelope)}`;
        if (envelope.kind === 'bound') expect(isEnclosed, where).toBe(true);
        if (isEnclosed) enclosedCount++;
        else maxDistance = Math.max(maxDistance, low - trueNet, trueNet - high);
        if (envelope.kind === 'bound') boundCount++;
        if (envelope.ambiguousFills > 0) ambiguousCount++;
      }
      enclosedRuns += enclosedCount;
      allRuns += runs;
      const strategy = file.slice(0, -3);
      const counts = `${boundCount} bound, ${ambiguousCount} with ambiguous fills, at most ${maxDistance.toFixed(2)} off`;
      lines.push(`${strategy} ${enclosedCount}/${runs} (${counts})`);
    }
    const share = enclosedRuns / allRuns;
    console.log(`shipped strategies: ${enclosedRuns} of ${allRuns} inside, ${(100 * share).toFixed(1)} %\n  ${lines.join('\n  ')}`);
    recordResult({ shipped: allRuns, held: enclosedRuns });
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  it(
    'the envelope of a strategy that enters whenever it is flat says scenario, and closes in on the run over the ticks',
    { timeout: 3_600_000 },
    async () => {
      let enclosedRuns = 0;
      let maxDistanceBp = 0;
      let maxReadShare = 0;
      let bandCount = 0;
      let bandsAtLine = 0;
      for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
        const { runPlan, withTicks, fine } = caseOf(seed, HOURS, { minPeriod: 60, readsPosition: true });
        const run = await finish(runPlan);
        const { envelope: coarse } = run;
        if (run.band !== null) {
          bandCount++;
          if (endsAtLine(run)) bandsAtLine++;
        }
        const { record: truth } = await finish(withTicks);
        const trueNet = netOf(truth);
        const where = (envelope: object) => `seed ${seed}: ${JSON.stringify(envelope)}, over the ticks ${trueNet}`;
        const [low, high] = boundsOf(coarse);
        const isEnclosed = low - FLOAT_ERROR <= trueNet && trueNet <= high + FLOAT_ERROR;
        expect(coarse.kind, where(coarse)).toBe(coarse.ambiguousFills === 0 ? 'bound' : 'scenario');
        if (coarse.kind === 'bound') expect(isEnclosed, where(coarse)).toBe(true);
        if (isEnclosed) enclosedRuns++;
        const { envelope: refined } = await finish(runPlan, fine);
        const { refinedRows } = refined;
        // Entries begin no bar after 8 % of the rows, so a run close to that may be refined in part only.
        if (refinedRows === null || refinedRows.read > refinedRows.all * 0.079) continue;
        maxReadShare = Math.max(maxReadShare, refinedRows.read / refinedRows.all);
        const [refinedLow, refinedHigh] = boundsOf(refined);
        const refinedBp = toBasisPoints(Math.max(Math.abs(refinedLow - trueNet), Math.abs(refinedHigh - trueNet)));
        maxDistanceBp = Math.max(maxDistanceBp, refinedBp);
        expect(refinedBp, where(refined)).toBeLessThanOrEqual(1);
      }
      console.log(
        `reads its position: ${enclosedRuns} of ${CASE_COUNT} inside; refined at most ${maxDistanceBp.toFixed(4)} bp off, ` +
          `at most ${(100 * maxReadShare).toFixed(1)} % read`,
      );
      recordResult({ readsPosition: CASE_COUNT, held: enclosedRuns, off: maxDistanceBp });
      expect(enclosedRuns / CASE_COUNT).toBeGreaterThan(0.5);
      // A lane may go further than the band that the page draws.
      expect(bandsAtLine / bandCount).toBeGreaterThan(0.5);
    },
  );
});
