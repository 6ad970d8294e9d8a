// The results of a sweep: plateaus against a naive walk over all pairs, selection bias against simulation, warnings, and the table.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweepRecord } from '../../../test/fixtures/sweepRecord.ts';
import { seededRng } from '../../base/number/rng.ts';
import { expectedBestSharpe, normalCdf, probabilisticSharpe, upperQuantile } from '../kernels/sharpeConfidence.ts';
import { deviation, mean, shape } from '../kernels/sums.ts';
import { selectionBiasOf } from './figures/selectionBias.ts';
import { findingsOf } from './findings.ts';
import { neighbourhoods, rankValues } from './figures/neighbours.ts';
import { cards } from './sections.ts';
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
          const { mean: means, count, whole } = neighbourhoods(record, values);
          expect(whole).toBe(shapes.reduce((product, { size, isOrdered }) => product * (isOrdered && size > 1 ? 3 : 1), 1));
          for (let set = 0; set < record.sets; set++) {
            const near = Array.from({ length: record.sets }, (_, other) => other).filter((other) =>
              shapes.every(({ isOrdered }, axis) => {
                const far = Math.abs(record.places[axis]![set]! - record.places[axis]![other]!);
                return far <= (isOrdered ? 1 : 0);
              }),
            );
            const having = near.map((other) => values[other]!).filter(Number.isFinite);
            expect(count[set]).toBe(having.length);
            const isJudged = Number.isFinite(values[set]) && having.length * 2 >= whole;
            if (isJudged) expect(means[set]).toBeCloseTo(having.reduce((sum, value) => sum + value, 0) / having.length, 12);
            else expect(means[set]).toBeNaN();
          }
        },
      ),
    );
  });

  it('rank by value either way, equals by their place in the grid', () => {
    const values = Float64Array.of(1, NaN, 3, 1, 3, -Infinity);
    expect(rankValues(values, true)).toEqual([2, 4, 0, 3]);
    expect(rankValues(values, false)).toEqual([0, 3, 2, 4]);
  });
});

describe('chance', () => {
  it('has a quantile that the distribution undoes', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), (tail) => {
        expect(normalCdf(-upperQuantile(tail)) / tail).toBeCloseTo(1, 9);
      }),
    );
    expect(upperQuantile(0.025)).toBeCloseTo(1.959963984540054, 14);
  });

  it.each([10, 100, 1000])('expects of %d trials without skill what they show on average', (trials) => {
    const rng = seededRng(11);
    const normal = () => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
    const best = Array.from({ length: 2000 }, () => Math.max(...Array.from({ length: trials }, normal)));
    const expected = expectedBestSharpe(trials, 1);
    // The formula is the limit of large numbers of trials: 2 % off at ten.
    expect(Number(expected) / mean(Float64Array.from(best))).toBeCloseTo(1, trials < 100 ? 1 : 1.4);
  });

  it('deflates by the formula of the probabilistic Sharpe ratio', () => {
    const rng = seededRng(5);
    const returns = Float64Array.from({ length: 300 }, () => rng.next() * 0.04 - 0.019);
    const sharpe = (mean(returns) / deviation(returns)) * Math.sqrt(365);
    const record = sweepRecord({ shapes: [{ size: 3, isOrdered: true }], missing: 0, seed: 1 });
    const column = (name: string, value: number) => ({ name, values: Float64Array.of(0.1, value, 0.2) });
    const { skew, excessKurtosis } = shape(returns);
    const figures = [column('sharpe', sharpe), column('days', 300), column('skew', skew), column('excessKurtosis', excessKurtosis)];
    const sharpes = Float64Array.of(0.1, sharpe, 0.2, -0.4);
    const random = selectionBiasOf({ ...record, figures, trials: { family: null, count: 40, earlier: 37, all: 40, sharpes } }, 1);
    expect(random.expectedBest).toBe(expectedBestSharpe(40, deviation(sharpes)));
    expect(random.deflated).toBeCloseTo(Number(probabilisticSharpe(returns, random.expectedBest!)), 12);
    expect(
      selectionBiasOf({ ...record, figures, trials: { family: null, count: 1, earlier: 0, all: 1, sharpes: Float64Array.of(1) } }, 1),
    ).toMatchObject({
      expectedBest: null,
      reason: 'no-trials',
    });
    expect(selectionBiasOf({ ...record, trials: { family: null, count: 40, earlier: 0, all: 40, sharpes } }, null).deflated).toBeNull();
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

  it('rank, count what was refused, and name what to doubt', () => {
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
    const many = sweepRecord({
      shapes: Array.from({ length: 7 }, () => ({ size: 2, isOrdered: true })),
      missing: 3,
      seed: 2,
      prefix: 'aVeryLongParameterName',
    });
    for (const of of [record, many]) {
      const text = sweepTable(of, findingsOf(of), {
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

  it('fill sets.csv with one row for each set, and sweep.json without NaN', () => {
    const lines = setsCsv(record, findings).trimEnd().split('\n');
    expect(lines).toHaveLength(record.sets + 1);
    expect(lines[0]).toMatch(/^set,p0,p1,p2,refused,failed,sharpe,/);
    const provenance = { sweepHash: '', command: '', setCommand: '', definition: '', parts: [], ledger: '', versions: {}, writtenMs: null };
    const summary = JSON.parse(JSON.stringify(sweepSummary({ record, findings, provenance }, 'now'))) as { best: { set: number }[] };
    expect(summary.best.map(({ set }) => set)).toEqual(findings.ranking.slice(0, 10));
  });
});

it('of an even number of sets the middle is the mean of the two in the middle; one trade is one trade', () => {
  const record = sweepRecord({ shapes: [{ size: 4, isOrdered: true }], missing: 0, seed: 1 });
  const figures = record.figures.map((figure) => {
    if (figure.name === 'sharpe') return { ...figure, values: Float64Array.of(-0.6, 0.5, 0.1, -0.2) };
    return figure.name === 'trades' ? { ...figure, values: Float64Array.of(1, 1, 1, 1) } : figure;
  });
  const made = { ...record, figures };
  const findings = findingsOf(made);
  const text = cards({ record: made, findings }).text;
  expect(text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain('Middle of all sets −0.05 of 4 sets');
  expect(findings.warnings.map((of) => of.text)).toContain('the best set closed 1 trade');
});
