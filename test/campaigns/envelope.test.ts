// Tests that the true net profit lies inside the envelope. The truth is a run over single ticks; the envelope comes from the bars.

import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { envelopeOf } from '../../src/tasks/backtest/run/envelope.ts';
import { memoryRows, type RowReader } from '../../src/adapters/catalog/bars/rowReader.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { OpenFinerRows } from '../../src/tasks/backtest/run/finerRows.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { RunEnvelope } from '../../src/report/envelope/runEnvelope.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { envelopeOf as builtEnvelopeOf } from '../../dist/tasks/backtest/run/envelope.js';
import { prepareBacktest as builtPrepare, runRecordOf as builtRecordOf } from '../../dist/tasks/backtest/run/runBacktest.js';
import { caseOf } from './envelopeCase.ts';
import { SHIPPED, shippedCase } from './envelopeShipped.ts';
import { naiveNet } from './envelopeWorld.ts';
import { tradesOfTicks } from '../fixtures/tradesOfTicks.ts';

/** `npm run campaign -- envelope --cases 500` sets both. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 20_261_127);
const CASES = Number(ISOBAR_CASES ?? 12);
const HOURS = ISOBAR_CASES === undefined ? 100 : 600;

async function runWithEnvelope(
  plan: RunPlan,
  ticks: BarColumns | null = null,
  rows: RowReader | null = ticks && memoryRows(ticks),
): Promise<{ record: RunRecord; envelope: RunEnvelope }> {
  const prepared = await prepareBacktest(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  const finer = ticks === null ? null : new OpenFinerRows(new Map([[ticks.instrument.id, rows!]]), record);
  return { record, envelope: (await envelopeOf(plan, prepared, record, finer))! };
}

/** Runs a plan by the built package, which strategy files import. */
async function runBuiltPackage(plan: RunPlan): Promise<{ record: RunRecord; envelope: RunEnvelope }> {
  const prepared = await (builtPrepare as object as typeof prepareBacktest)(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = (builtRecordOf as object as typeof runRecordOf)(plan, prepared, false);
  return { record, envelope: (await (builtEnvelopeOf as object as typeof envelopeOf)(plan, prepared, record, null))! };
}

const netUnits = ({ equity, startUnits }: RunRecord): number => equity.units[equity.length - 1]! - startUnits;

describe('the envelope', () => {
  it(`the envelope contains the true net profit in all of ${CASES} runs on bars`, { timeout: 1_200_000 }, async () => {
    let [exact, width, openCount, worst] = [0, 0, 0, 0];
    for (let caseIndex = 0; caseIndex < CASES; caseIndex++) {
      const seed = SEED + caseIndex;
      const { plan, path, per, runPlan, withTicks } = caseOf(seed, HOURS);
      const { record, envelope: { envelope, band } } = await runWithEnvelope(runPlan); // prettier-ignore
      const scale = 10 ** record.reportingDigits;
      const [low, asRun, high] = [envelope.netProfit.low, envelope.netProfit.asRun, envelope.netProfit.high].map(Number) as [number, number, number]; // prettier-ignore
      const context = `seed ${seed}: ${JSON.stringify({ plan, envelope })}`;
      expect(envelope.kind, context).toBe('bound');
      expect(low <= asRun && asRun <= high, context).toBe(true);
      if (envelope.ambiguousFills === 0) expect([low, high], context).toEqual([asRun, asRun]);
      const { record: truth } = await runWithEnvelope(withTicks);
      const unitsPerTick = plan.isFutures ? 10 ** (4 - 3 - 2) : 10 ** (8 - 2 - 3);
      const truths = [netUnits(truth) / scale];
      // The naive venue knows neither funding nor slippage by the price.
      const isPlain = plan.slippagePpm === 0 && plan.funding === 0;
      for (const atTouch of isPlain ? (plan.limit === 'touch' ? [true] : [true, false]) : [])
        for (const isMaker of [true, false]) truths.push(naiveNet(plan, path, per, { atTouch, isMaker }, unitsPerTick) / scale);
      // The naive venue does not round.
      const slack = 2e-4 * Math.sqrt(record.fills.length) + (plan.feesIn === 'received' ? 1e-3 * record.fills.length : 0);
      truths.forEach((net, truthIndex) => {
        const maxOffBp = Math.max(low - net, net - high);
        worst = Math.max(worst, maxOffBp);
        expect(maxOffBp, `${truthIndex === 0 ? 'isobar over the ticks' : `naive ${truthIndex}`} ${net}, ${context}`).toBeLessThanOrEqual(
          truthIndex === 0 ? 1e-9 : slack,
        );
      });
      expect(band === null, context).toBe(envelope.ambiguousFills === 0);
      if (low === high) exact++;
      else openCount++;
      width += (high - low) / 10_000;
    }
    console.log(`envelope: ${CASES} runs from seed ${SEED}, low = high in ${exact}, mean width of the others ${((width / Math.max(1, openCount)) * 1e4).toFixed(1)} bp`); // prettier-ignore
    recordResult({ runs: CASES, exact, open: openCount, width });
  });

  it(
    'the envelope refined with the ticks comes within 1 bp of the run over all ticks, and reads less than a tenth of them',
    { timeout: 1_200_000 },
    async () => {
      let [cases, maxOffBp, maxShareRead, widthBefore, widthAfter] = [0, 0, 0, 0, 0];
      for (let caseIndex = 0; cases < CASES / 4; caseIndex++) {
        const { runPlan, withTicks, fine: ticks } = caseOf(SEED + caseIndex, HOURS, 40);
        const { envelope: { envelope: coarse } } = await runWithEnvelope(runPlan); // prettier-ignore
        if (coarse.ambiguousFills === 0) continue;
        cases++;
        const { envelope: { envelope } } = await runWithEnvelope(runPlan, ticks); // prettier-ignore
        const { record: truth } = await runWithEnvelope(withTicks);
        const net = netUnits(truth) / 10 ** truth.reportingDigits;
        const [low, high] = [Number(envelope.netProfit.low), Number(envelope.netProfit.high)];
        const context = `seed ${SEED + caseIndex}: ${JSON.stringify(envelope)}, over the ticks ${net}`;
        expect(envelope.refinedWith, context).toBe('1m');
        const bp = (Math.max(Math.abs(low - net), Math.abs(high - net)) / 10_000) * 1e4;
        maxOffBp = Math.max(maxOffBp, bp);
        maxShareRead = Math.max(maxShareRead, envelope.refinedRows!.read / envelope.refinedRows!.all);
        widthBefore += Number(coarse.netProfit.high) - Number(coarse.netProfit.low);
        widthAfter += high - low;
        expect(bp, context).toBeLessThanOrEqual(1);
        expect(envelope.refinedRows!.read, context).toBeLessThan(envelope.refinedRows!.all / 10);
        // The ticks as trades of a catalog give the same envelope.
        const { folder, reader } = tradesOfTicks(ticks);
        const {envelope: { envelope: traded } } = await runWithEnvelope(runPlan, ticks, reader); // prettier-ignore
        rmSync(folder, { recursive: true });
        expect(traded, context).toEqual({ ...envelope, refinedWith: 'trades' });
      }
      console.log(`refined: ${cases} runs, at most ${maxOffBp.toFixed(4)} bp off the run over the ticks, at most ${(maxShareRead * 100).toFixed(1)} % of them read, width ${(widthAfter / widthBefore).toFixed(4)} of before`); // prettier-ignore
      recordResult({ refined: cases, off: maxOffBp, share: maxShareRead, width: widthAfter / widthBefore });
    },
  );

  it('the envelope contains at least 95 % of the runs of the shipped strategies', { timeout: 1_200_000 }, async () => {
    const runs = Math.ceil(CASES / 40);
    const shares: string[] = [];
    let [heldRuns, allRuns] = [0, 0];
    for (const file of SHIPPED) {
      let [heldCount, bound, openCount, distance] = [0, 0, 0, 0];
      for (let caseIndex = 0; caseIndex < runs; caseIndex++) {
        const { runPlan, withTicks } = await shippedCase(file, SEED + caseIndex, HOURS);
        const { record, envelope: { envelope } } = await runBuiltPackage(runPlan); // prettier-ignore
        const { record: truth } = await runBuiltPackage(withTicks);
        const net = netUnits(truth) / 10 ** record.reportingDigits;
        const [low, high] = [Number(envelope.netProfit.low), Number(envelope.netProfit.high)];
        const isHeld = low - 1e-9 <= net && net <= high + 1e-9;
        if (envelope.kind === 'bound')
          expect(isHeld, `${file}, seed ${SEED + caseIndex}: ${net} in ${JSON.stringify(envelope)}`).toBe(true);
        if (isHeld) heldCount++;
        else distance = Math.max(distance, low - net, net - high);
        if (envelope.kind === 'bound') bound++;
        if (envelope.ambiguousFills > 0) openCount++;
      }
      heldRuns += heldCount;
      allRuns += runs;
      shares.push(
        `${file.slice(0, -3)} ${heldCount}/${runs} (${bound} bound, ${openCount} with ambiguous fills, at most ${distance.toFixed(2)} off)`,
      );
    }
    console.log(
      `shipped strategies: ${heldRuns} of ${allRuns} inside, ${((100 * heldRuns) / allRuns).toFixed(1)} %\n  ${shares.join('\n  ')}`,
    );
    recordResult({ shipped: allRuns, held: heldRuns });
    expect(heldRuns / allRuns).toBeGreaterThanOrEqual(0.95);
  });

  it(
    'the envelope of a strategy that enters whenever it is flat is a scenario, and approaches the run over the ticks when refined',
    { timeout: 1_200_000 },
    async () => {
      let [heldCount, cases, maxOffBp, maxShareRead] = [0, 0, 0, 0];
      for (let caseIndex = 0; caseIndex < CASES; caseIndex++) {
        const { runPlan, withTicks, fine: ticks } = caseOf(SEED + caseIndex, HOURS, 60, true);
        const { envelope: { envelope: coarse } } = await runWithEnvelope(runPlan); // prettier-ignore
        const { record: truth } = await runWithEnvelope(withTicks);
        const net = netUnits(truth) / 10 ** truth.reportingDigits;
        const context = `seed ${SEED + caseIndex}: ${JSON.stringify(coarse)}, over the ticks ${net}`;
        const isHeld = Number(coarse.netProfit.low) - 1e-9 <= net && net <= Number(coarse.netProfit.high) + 1e-9;
        expect(coarse.kind, context).toBe(coarse.ambiguousFills === 0 ? 'bound' : 'scenario');
        if (coarse.kind === 'bound') expect(isHeld, context).toBe(true);
        if (isHeld) heldCount++;
        cases++;
        const { envelope: { envelope } } = await runWithEnvelope(runPlan, ticks); // prettier-ignore
        if (envelope.refinedRows === null || envelope.refinedRows.read > envelope.refinedRows.all * 0.09) continue;
        maxShareRead = Math.max(maxShareRead, envelope.refinedRows.read / envelope.refinedRows.all);
        const bp = Math.max(Math.abs(Number(envelope.netProfit.low) - net), Math.abs(Number(envelope.netProfit.high) - net));
        maxOffBp = Math.max(maxOffBp, bp);
        expect(bp, `seed ${SEED + caseIndex}: ${JSON.stringify(envelope)}, over the ticks ${net}`).toBeLessThanOrEqual(1);
      }
      console.log(
        `reads its position: ${heldCount} of ${cases} inside; refined at most ${maxOffBp.toFixed(4)} bp off, at most ${(100 * maxShareRead).toFixed(1)} % read`,
      );
      recordResult({ readsPosition: cases, held: heldCount, off: maxOffBp });
      expect(heldCount / cases).toBeGreaterThan(0.5);
    },
  );
});
