// The true net profit lies inside the envelope: a path of single ticks is the truth, bars of it are what a run sees.

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
import { naiveNet, type Plan } from './envelopeWorld.ts';
import { tradesOfTicks } from '../fixtures/tradesOfTicks.ts';

/** `npm run campaign -- envelope --cases 500` sets both. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 20_261_127);
const CASES = Number(ISOBAR_CASES ?? 12);
const HOURS = ISOBAR_CASES === undefined ? 100 : 600;

/** A plan of spot that is drawn otherwise. */
const SPOT: Partial<Plan> = { isFutures: false, isLong: true, trailing: 0, slippageTicks: 0, slippagePpm: 0, funding: 0 };

async function finish(
  plan: RunPlan,
  fine: BarColumns | null = null,
  rows: RowReader | null = fine && memoryRows(fine),
): Promise<{ record: RunRecord; envelope: RunEnvelope }> {
  const prepared = await prepareBacktest(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  const finer = fine === null ? null : new OpenFinerRows(new Map([[fine.instrument.id, rows!]]), record);
  return { record, envelope: (await envelopeOf(plan, prepared, record, finer))! };
}

/** The built package runs strategy files. */
async function finishBuilt(plan: RunPlan): Promise<{ record: RunRecord; envelope: RunEnvelope }> {
  const prepared = await (builtPrepare as object as typeof prepareBacktest)(plan, { keepsDecisions: true });
  prepared.loop(prepared.engine);
  const record = (builtRecordOf as object as typeof runRecordOf)(plan, prepared, false);
  return { record, envelope: (await (builtEnvelopeOf as object as typeof envelopeOf)(plan, prepared, record, null))! };
}

const netUnits = ({ equity, startUnits }: RunRecord): number => equity.units[equity.length - 1]! - startUnits;

describe('the envelope', () => {
  it(`the envelope holds the truth in ${CASES} of ${CASES} runs on bars alone`, { timeout: 1_200_000 }, async () => {
    let [exact, width, open, worst] = [0, 0, 0, 0];
    for (let at = 0; at < CASES; at++) {
      const seed = SEED + at;
      const { plan, path, per, runPlan, withTicks } = caseOf(seed, HOURS);
      const { record, envelope: { envelope, band } } = await finish(runPlan); // prettier-ignore
      const scale = 10 ** record.reportingDigits;
      const [low, asRun, high] = [envelope.netProfit.low, envelope.netProfit.asRun, envelope.netProfit.high].map(Number) as [number, number, number]; // prettier-ignore
      const where = `seed ${seed}: ${JSON.stringify({ plan, envelope })}`;
      expect(envelope.kind, where).toBe('bound');
      expect(low <= asRun && asRun <= high, where).toBe(true);
      if (envelope.ambiguousFills === 0) expect([low, high], where).toEqual([asRun, asRun]);
      const { record: truth } = await finish(withTicks);
      const unitsPerTick = plan.isFutures ? 10 ** (4 - 3 - 2) : 10 ** (8 - 2 - 3);
      const truths = [netUnits(truth) / scale];
      // The naive venue knows neither funding nor slippage by the price.
      const isPlain = plan.slippagePpm === 0 && plan.funding === 0;
      for (const atTouch of isPlain ? (plan.limit === 'touch' ? [true] : [true, false]) : [])
        for (const isMaker of [true, false]) truths.push(naiveNet(plan, path, per, { atTouch, isMaker }, unitsPerTick) / scale);
      // The naive venue does not round.
      const slack = 2e-4 * Math.sqrt(record.fills.length) + (plan.feesIn === 'received' ? 1e-3 * record.fills.length : 0);
      truths.forEach((net, which) => {
        const off = Math.max(low - net, net - high);
        worst = Math.max(worst, off);
        expect(off, `${which === 0 ? 'isobar over the ticks' : `naive ${which}`} ${net}, ${where}`).toBeLessThanOrEqual(
          which === 0 ? 1e-9 : slack,
        );
      });
      expect(band === null, where).toBe(envelope.ambiguousFills === 0);
      if (low === high) exact++;
      else open++;
      width += (high - low) / 10_000;
    }
    console.log(`envelope: ${CASES} runs from seed ${SEED}, low = high in ${exact}, mean width of the others ${((width / Math.max(1, open)) * 1e4).toFixed(1)} bp`); // prettier-ignore
    recordResult({ runs: CASES, exact, open, width });
  });

  it.each<[string, Partial<Plan>, string]>([
    ['stop entries with a limit', { kind: 'trigger', entryLimit: 1 }, 'it has stop entries with a limit on spot'],
    [
      'several targets with fees from coins',
      { kind: 'market', target: 2, ladder: [2], feesIn: 'received' },
      'its entries have several targets, and fees are taken from coins',
    ],
  ])('on spot, %s say scenario, not bound, and why', async (_, changed, why) => {
    const { envelope: { envelope } } = await finish(caseOf(SEED, 40, 1, false, { ...SPOT, ...changed }).runPlan); // prettier-ignore
    expect(envelope.kind).toBe('scenario');
    expect(envelope.notBoundBecause).toContain(why);
  });

  it(
    'refined with the ticks comes within 1 bp of the run over all of them, and reads less than a tenth',
    { timeout: 1_200_000 },
    async () => {
      let [cases, off, share, before, after] = [0, 0, 0, 0, 0];
      for (let at = 0; cases < CASES / 4; at++) {
        const { runPlan, withTicks, fine } = caseOf(SEED + at, HOURS, 40);
        const { envelope: { envelope: coarse } } = await finish(runPlan); // prettier-ignore
        if (coarse.ambiguousFills === 0) continue;
        cases++;
        const { envelope: { envelope } } = await finish(runPlan, fine); // prettier-ignore
        const { record: truth } = await finish(withTicks);
        const net = netUnits(truth) / 10 ** truth.reportingDigits;
        const [low, high] = [Number(envelope.netProfit.low), Number(envelope.netProfit.high)];
        const where = `seed ${SEED + at}: ${JSON.stringify(envelope)}, over the ticks ${net}`;
        expect(envelope.refinedWith, where).toBe('1m');
        const bp = (Math.max(Math.abs(low - net), Math.abs(high - net)) / 10_000) * 1e4;
        off = Math.max(off, bp);
        share = Math.max(share, envelope.refinedRows!.read / envelope.refinedRows!.all);
        before += Number(coarse.netProfit.high) - Number(coarse.netProfit.low);
        after += high - low;
        expect(bp, where).toBeLessThanOrEqual(1);
        expect(envelope.refinedRows!.read, where).toBeLessThan(envelope.refinedRows!.all / 10);
        // The ticks as trades of a catalog give the same.
        const { folder, reader } = tradesOfTicks(fine);
        const {envelope: { envelope: traded } } = await finish(runPlan, fine, reader); // prettier-ignore
        rmSync(folder, { recursive: true });
        expect(traded, where).toEqual({ ...envelope, refinedWith: 'trades' });
      }
      console.log(`refined: ${cases} runs, at most ${off.toFixed(4)} bp off the run over the ticks, at most ${(share * 100).toFixed(1)} % of them read, width ${(after / before).toFixed(4)} of before`); // prettier-ignore
      recordResult({ refined: cases, off, share, width: after / before });
    },
  );

  it('the envelope holds most runs of the shipped strategies, which read their positions', { timeout: 1_200_000 }, async () => {
    const runs = Math.ceil(CASES / 40);
    const shares: string[] = [];
    let [heldRuns, all] = [0, 0];
    for (const file of SHIPPED) {
      let [held, bound, open, distance] = [0, 0, 0, 0];
      for (let at = 0; at < runs; at++) {
        const { runPlan, withTicks } = await shippedCase(file, SEED + at, HOURS);
        const { record, envelope: { envelope } } = await finishBuilt(runPlan); // prettier-ignore
        const { record: truth } = await finishBuilt(withTicks);
        const net = netUnits(truth) / 10 ** record.reportingDigits;
        const [low, high] = [Number(envelope.netProfit.low), Number(envelope.netProfit.high)];
        const isHeld = low - 1e-9 <= net && net <= high + 1e-9;
        if (envelope.kind === 'bound') expect(isHeld, `${file}, seed ${SEED + at}: ${net} in ${JSON.stringify(envelope)}`).toBe(true);
        if (isHeld) held++;
        else distance = Math.max(distance, low - net, net - high);
        if (envelope.kind === 'bound') bound++;
        if (envelope.ambiguousFills > 0) open++;
      }
      heldRuns += held;
      all += runs;
      shares.push(
        `${file.slice(0, -3)} ${held}/${runs} (${bound} bound, ${open} with ambiguous fills, at most ${distance.toFixed(2)} off)`,
      );
    }
    console.log(`shipped strategies: ${heldRuns} of ${all} inside, ${((100 * heldRuns) / all).toFixed(1)} %\n  ${shares.join('\n  ')}`);
    recordResult({ shipped: all, held: heldRuns });
    expect(heldRuns / all).toBeGreaterThanOrEqual(0.95);
  });

  it(
    'the envelope of a strategy that enters whenever it is flat says scenario, and closes in on the run over the ticks',
    { timeout: 1_200_000 },
    async () => {
      let [held, cases, off, read] = [0, 0, 0, 0];
      for (let at = 0; at < CASES; at++) {
        const { runPlan, withTicks, fine } = caseOf(SEED + at, HOURS, 60, true);
        const { envelope: { envelope: coarse } } = await finish(runPlan); // prettier-ignore
        const { record: truth } = await finish(withTicks);
        const net = netUnits(truth) / 10 ** truth.reportingDigits;
        const where = `seed ${SEED + at}: ${JSON.stringify(coarse)}, over the ticks ${net}`;
        const isHeld = Number(coarse.netProfit.low) - 1e-9 <= net && net <= Number(coarse.netProfit.high) + 1e-9;
        expect(coarse.kind, where).toBe(coarse.ambiguousFills === 0 ? 'bound' : 'scenario');
        if (coarse.kind === 'bound') expect(isHeld, where).toBe(true);
        if (isHeld) held++;
        cases++;
        const { envelope: { envelope } } = await finish(runPlan, fine); // prettier-ignore
        if (envelope.refinedRows === null || envelope.refinedRows.read > envelope.refinedRows.all * 0.09) continue;
        read = Math.max(read, envelope.refinedRows.read / envelope.refinedRows.all);
        const bp = Math.max(Math.abs(Number(envelope.netProfit.low) - net), Math.abs(Number(envelope.netProfit.high) - net));
        off = Math.max(off, bp);
        expect(bp, `seed ${SEED + at}: ${JSON.stringify(envelope)}, over the ticks ${net}`).toBeLessThanOrEqual(1);
      }
      console.log(
        `reads its position: ${held} of ${cases} inside; refined at most ${off.toFixed(4)} bp off, at most ${(100 * read).toFixed(1)} % read`,
      );
      recordResult({ readsPosition: cases, held, off });
      expect(held / cases).toBeGreaterThan(0.5);
    },
  );
});
