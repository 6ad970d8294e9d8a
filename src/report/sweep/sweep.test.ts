// Tests the results of a sweep: plateaus against a naive walk, selection bias against simulation, warnings, and the table.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweepRecord } from '../../../test/fixtures/sweepRecord.ts';
import { seededRng } from '../../base/number/rng.ts';
import { expectedBestSharpe, normalCdf, probabilisticSharpe, upperQuantile } from '../kernels/sharpeConfidence.ts';
import { deviation, mean, shape } from '../kernels/sums.ts';
import { selectionBiasOf } from './figures/selectionBias.ts';
import { findingsOf } from './findings.ts';
import { neighbourhoods, rankValues } from './figures/neighbours.ts';
import { sweepCards } from './sections.ts';
import { setsCsv, sweepSummary } from './summary.ts';
import { sweepTable } from './terminal.ts';

describe('neighbourhoods', () => {
  it('neighbourhoods are the sets at most one step away on ordered axes and equal on others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), isOrdered: fc.boolean() }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer(),
        (shapes, missing, seed) => {
          const record = sweepRecord({ shapes, missing, seed });
          const { values } = record.figures[0]!;
          const { mean: means, count, whole: maxNeighbours } = neighbourhoods(record, values);
          expect(maxNeighbours).toBe(shapes.reduce((product, { size, isOrdered }) => product * (isOrdered && size > 1 ? 3 : 1), 1));
          for (let set = 0; set < record.sets; set++) {
            const neighbourSets = Array.from({ length: record.sets }, (_, otherSet) => otherSet).filter((otherSet) =>
              shapes.every(({ isOrdered }, axis) => {
                const distance = Math.abs(record.places[axis]![set]! - record.places[axis]![otherSet]!);
                return distance <= (isOrdered ? 1 : 0);
              }),
            );
            const knownValues = neighbourSets.map((otherSet) => values[otherSet]!).filter(Number.isFinite);
            expect(count[set]).toBe(knownValues.length);
            const isJudged = Number.isFinite(values[set]) && knownValues.length * 2 >= maxNeighbours;
            if (isJudged) expect(means[set]).toBeCloseTo(knownValues.reduce((sum, value) => sum + value, 0) / knownValues.length, 12);
            else expect(means[set]).toBeNaN();
          }
        },
      ),
    );
  });

  it('sets are ranked by value in either direction, and equal values by their place in the grid', () => {
    const values = Float64Array.of(1, NaN, 3, 1, 3, -Infinity);
    expect(rankValues(values, true)).toEqual([2, 4, 0, 3]);
    expect(rankValues(values, false)).toEqual([0, 3, 2, 4]);
  });
});

describe('selection bias', () => {
  it('upperQuantile is the inverse of the normal distribution', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), (tail) => {
        expect(normalCdf(-upperQuantile(tail)) / tail).toBeCloseTo(1, 9);
      }),
    );
    expect(upperQuantile(0.025)).toBeCloseTo(1.959963984540054, 14);
  });

  it.each([10, 100, 1000])('the expected best Sharpe ratio of %d trials without skill equals their simulated average', (trials) => {
    const rng = seededRng(11);
    const drawNormal = () => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
    const bestOfTrials = Array.from({ length: 2000 }, () => Math.max(...Array.from({ length: trials }, drawNormal)));
    const expected = expectedBestSharpe(trials, 1);
    // The formula is the limit for many trials. At ten trials it differs by 2 %.
    expect(Number(expected) / mean(Float64Array.from(bestOfTrials))).toBeCloseTo(1, trials < 100 ? 1 : 1.4);
  });

  it('the deflated Sharpe ratio equals the probabilistic one against the expected best of all trials', () => {
    const rng = seededRng(5);
    const returns = Float64Array.from({ length: 300 }, () => rng.next() * 0.04 - 0.019);
    const sharpe = (mean(returns) / deviation(returns)) * Math.sqrt(365);
    const record = sweepRecord({ shapes: [{ size: 3, isOrdered: true }], missing: 0, seed: 1 });
    const column = (name: string, value: number) => ({ name, values: Float64Array.of(0.1, value, 0.2) });
    const { skew, excessKurtosis } = shape(returns);
    const figures = [column('sharpe', sharpe), column('days', 300), column('skew', skew), column('excessKurtosis', excessKurtosis)];
    const sharpes = Float64Array.of(0.1, sharpe, 0.2, -0.4);
    const bias = selectionBiasOf({ ...record, figures, trials: { family: null, count: 40, earlier: 37, all: 40, sharpes } }, 1);
    expect(bias.expectedBest).toBe(expectedBestSharpe(40, deviation(sharpes)));
    expect(bias.deflated).toBeCloseTo(Number(probabilisticSharpe(returns, bias.expectedBest!)), 12);
    expect(
      selectionBiasOf({ ...record, figures, trials: { family: null, count: 1, earlier: 0, all: 1, sharpes: Float64Array.of(1) } }, 1),
    ).toMatchObject({
      expectedBest: null,
      reason: 'no-trials',
    });
    expect(selectionBiasOf({ ...record, trials: { family: null, count: 40, earlier: 0, all: 40, sharpes } }, null).deflated).toBeNull();
  });
});

describe('an undefined deflated Sharpe ratio', () => {
  const record = sweepRecord({ shapes: [{ size: 3, isOrdered: true }], missing: 0, seed: 1 });
  const trials = { family: null, count: 40, earlier: 37, all: 40, sharpes: Float64Array.of(0.1, 0.2, -0.4) };
  const reasonFor = (best: { days: number; sharpe: number; skew: number; excessKurtosis: number }) => {
    const figures = Object.entries(best).map(([name, value]) => ({ name, values: Float64Array.of(1, value, 1) }));
    return selectionBiasOf({ ...record, figures, trials }, 1).reason;
  };

  it('an undefined deflated Sharpe ratio has the reason of the Sharpe ratio of the best set', () => {
    const flat = { days: 30, sharpe: NaN, skew: NaN, excessKurtosis: NaN };
    expect(reasonFor(flat)).toBe('zero-variance');
    expect(reasonFor({ ...flat, skew: -3, excessKurtosis: 9 })).toBe('ruined');
    expect(reasonFor({ ...flat, days: 3 })).toBe('too-few-returns');
    expect(reasonFor({ days: 30, sharpe: 1, skew: 0, excessKurtosis: 0 })).toBeNull();
  });
});

describe('findings', () => {
  const shapes = [
    { size: 8, isOrdered: true },
    { size: 6, isOrdered: true },
    { size: 2, isOrdered: false },
  ];
  const record = sweepRecord({ shapes, missing: 7, seed: 4 });
  const findings = findingsOf(record);

  it('findings rank the sets, count rejected ones, and warn of chance and of the edge of the grid', () => {
    const sharpe = record.figures[0]!.values;
    expect(findings.best).toBe(sharpe.indexOf(Math.max(...sharpe.filter(Number.isFinite))));
    expect(findings.ran).toBe(record.refused.filter((reason) => reason === null).length);
    expect(findings.refused.reduce((sum, { sets }) => sum + sets, 0)).toBe(record.sets - findings.ran);
    expect(findings.warnings.map(({ text }) => text).join()).toMatch(/above what chance gives with a probability of/);
    const edge = findingsOf({
      ...record,
      figures: record.figures.map(({ name, values }) => ({ name, values: name === 'sharpe' ? values.map((_, set) => -set) : values })),
    });
    expect(edge.warnings.map(({ text }) => text).join()).toMatch(/at the edge of the grid \(p0 10, p1 10\)/);
  });

  it('findings are reported in at most 100 columns, also with many parameters of long names', () => {
    const manyParameters = sweepRecord({
      shapes: Array.from({ length: 7 }, () => ({ size: 2, isOrdered: true })),
      missing: 3,
      seed: 2,
      prefix: 'aVeryLongParameterName',
    });
    for (const sweep of [record, manyParameters]) {
      const text = sweepTable(sweep, findingsOf(sweep), {
        colour: false,
        report: 'runs/x/report.html',
        command: `isobar backtest a.yaml${' --set params.p=1'.repeat(9)}`,
      });
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
      expect(text).toMatch(/The best by Sharpe/);
      expect(text).toMatch(/deflated Sharpe/);
      expect(text).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it('sets.csv has one row for each set, and sweep.json has the ten best sets', () => {
    const lines = setsCsv(record, findings).trimEnd().split('\n');
    expect(lines).toHaveLength(record.sets + 1);
    expect(lines[0]).toMatch(/^set,p0,p1,p2,refused,failed,sharpe,/);
    const provenance = { sweepHash: '', command: '', setCommand: '', definition: '', parts: [], ledger: '', versions: {}, writtenMs: null };
    const summary = JSON.parse(JSON.stringify(sweepSummary({ record, findings, provenance }, 'now'))) as { best: { set: number }[] };
    expect(summary.best.map(({ set }) => set)).toEqual(findings.ranking.slice(0, 10));
  });
});

it('the middle of an even number of sets is the mean of the two middle ones', () => {
  const record = sweepRecord({ shapes: [{ size: 4, isOrdered: true }], missing: 0, seed: 1 });
  const figures = record.figures.map((figure) => {
    if (figure.name === 'sharpe') return { ...figure, values: Float64Array.of(-0.6, 0.5, 0.1, -0.2) };
    return figure.name === 'trades' ? { ...figure, values: Float64Array.of(1, 1, 1, 1) } : figure;
  });
  const changedRecord = { ...record, figures };
  const findings = findingsOf(changedRecord);
  const text = sweepCards({ record: changedRecord, findings }).text;
  expect(text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain('Middle of all sets −0.05 of 4 sets');
  expect(findings.warnings.map((warning) => warning.text)).toContain('the best set closed 1 trade');
});
