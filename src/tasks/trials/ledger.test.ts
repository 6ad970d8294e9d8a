// Tests the trial ledger after a crash: complete lines are read wherever the last write was cut, and the rest is written again.
import fc from 'fast-check';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { continueLedger, createLedger, findLedger, freshPath, isFinished, readLedger } from './trialLedger.ts';
import { decodeLine, encodeLine, type RunLine, type SetLine, type SweepHeader } from './ledgerLine.ts';
import { countTrials } from './trials.ts';

const root = mkdtempSync(join(tmpdir(), 'isobar-ledger-'));
afterAll(() => rmSync(root, { recursive: true }));

function header(change: Partial<SweepHeader> = {}): SweepHeader {
  return {
    kind: 'sweep', format: 'isobar ledger 1', id: 'ab'.repeat(32), name: 'sma', definition: 'sma.yaml', strategy: 'Sma', bars: ['spot:X 1h'],
    parts: [{ name: 'the definition', value: '1' }, { name: 'params.stop', value: '2' }, { name: '--grid', value: 'fast=1,2' }],
    grid: [{ name: 'fast', values: [1, 2] }], random: null, sets: 5, startedAt: '2024-01-01T00:00:00Z', ...change,
  }; // prettier-ignore
}

function line(setIndex: number, sharpe: number | null = setIndex / 3): SetLine {
  return { kind: 'set', set: setIndex, params: { fast: setIndex }, figures: { sharpe, trades: 4 }, refused: null };
}

describe('a line', () => {
  it('a line is read back with every bit, and not at all if one letter has changed', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.nat(), (value, text, offset) => {
        const written = encodeLine({ ...line(1), figures: { sharpe: value === 0 ? 0 : value }, refused: text });
        expect(decodeLine(written)).toEqual({ ...line(1), figures: { sharpe: value === 0 ? 0 : value }, refused: text, crc: undefined });
        const changedIndex = offset % written.length;
        const letter = written[changedIndex] === 'x' ? 'y' : 'x';
        expect(decodeLine(written.slice(0, changedIndex) + letter + written.slice(changedIndex + 1))).toBeNull();
        expect(decodeLine(written.slice(0, changedIndex))).toBeNull();
      }),
    );
  });
});

describe('a ledger', () => {
  it('a ledger whose last write was cut at any byte keeps its complete lines, and the rest can be appended', async () => {
    const path = join(root, 'cut.jsonl');
    const writer = await createLedger(path, header());
    await Promise.all([writer.append([line(0), line(1)]), writer.append([line(2)]), writer.append([line(3), line(4)])]);
    await writer.close();
    const ledgerBytes = readFileSync(path);
    expect(readLedger(path)?.results.size).toBe(5);
    expect(isFinished(readLedger(path)!)).toBe(true);
    const ends = [...ledgerBytes.keys()].filter((offset) => ledgerBytes[offset] === 0x0a).map((offset) => offset + 1);
    for (let bytes = 0; bytes <= ledgerBytes.length; bytes += 7) {
      writeFileSync(path, ledgerBytes);
      truncateSync(path, bytes);
      const lines = ends.filter((end) => end <= bytes).length;
      const ledger = readLedger(path);
      expect(ledger?.results.size ?? -1).toBe(lines - 1);
      if (ledger === null) continue;
      const nextWriter = await continueLedger(ledger);
      await nextWriter.append([0, 1, 2, 3, 4].filter((set) => !ledger.results.has(set)).map((set) => line(set)));
      await nextWriter.close();
      expect(readLedger(path)).toMatchObject({ isTorn: false, wholeBytes: readFileSync(path).length });
      expect(new Map([...readLedger(path)!.results].toSorted(([a], [b]) => a - b))).toEqual(
        new Map([0, 1, 2, 3, 4].map((set) => [set, expect.objectContaining(line(set))])),
      );
    }
  });

  it('a ledger that is damaged in its middle is rejected with file and line', async () => {
    const path = join(root, 'damaged.jsonl');
    const writer = await createLedger(path, header());
    await writer.append([line(0), line(1)]);
    await writer.close();
    writeFileSync(path, readFileSync(path, 'utf8').replace('"set":0', '"set":9'));
    expect(() => readLedger(path)).toThrow(`${path}:2: the line is damaged`);
    appendFileSync(path, 'nothing\n');
    expect(() => readLedger(path)).toThrow(/:2: the line is damaged/);
  });

  it('a ledger finds the newest file of a sweep', async () => {
    const folder = join(root, 'many');
    for (let fileIndex = 0; fileIndex < 3; fileIndex++) await (await createLedger(freshPath(folder, header()), header())).close();
    await (await createLedger(freshPath(folder, header({ id: 'cd'.repeat(32) })), header({ id: 'cd'.repeat(32) }))).close();
    expect(findLedger(folder, header().id)).toBe(join(folder, 'sma-abababababab-3.jsonl'));
    expect(findLedger(folder, 'ef'.repeat(32))).toBeNull();
  });
});

describe('trials', () => {
  const content = (change: Partial<SweepHeader>, lines: readonly SetLine[]) => ({
    path: '', header: header(change), results: new Map(lines.map((setLine) => [setLine.set, setLine])), wholeBytes: 0, isTorn: false,
  }); // prettier-ignore

  const run = (change: Partial<RunLine> = {}): RunLine => ({
    kind: 'run', format: 'isobar ledger 1', name: 'r', strategy: 'Any', bars: ['spot:X 1h'],
    parts: [{ name: 'the definition', value: '1' }, { name: 'params.stop', value: '2' }, { name: 'params.fast', value: '1' }],
    figures: { sharpe: 2 }, startedAt: '2024-01-01T00:00:00Z', ...change,
  }); // prettier-ignore
  const countWith = (
    sweeps: ReturnType<typeof content>[],
    runs: RunLine[] = [],
    headerChange: Partial<SweepHeader> = {},
    ownLines = [line(1), line(2)],
  ) => countTrials(header(headerChange), ownLines, { sweeps, runs }, 'sharpe');

  it('trials count each different set on the same bars once, for any strategy, and no set without figures', () => {
    const ownLines = [line(0), line(1), { ...line(2), figures: null, refused: 'no' }];
    const repeatedSets = content({ id: 'c1' }, [line(1), line(3)]);
    const otherStrategy = content({ id: 'c2', strategy: 'Other', parts: [{ name: 'other.ts', value: 'ef'.repeat(32) }] }, [line(7)]);
    const otherData = content({ id: 'c3', bars: ['spot:Y 1h'] }, [line(8)]);
    const changedDefinition = content({ id: 'c4', parts: [{ name: 'the definition', value: '9' }] }, [line(1)]);
    const trials = countWith([repeatedSets, otherStrategy, otherData, changedDefinition], [], {}, ownLines);
    expect(trials).toMatchObject({ count: 5, earlier: 3, all: 5 });
    expect([...trials.values].toSorted((a, b) => a - b)).toEqual([0, 1 / 3, 1 / 3, 1, 7 / 3]);
  });

  it('trials count each different single run on the same bars once', () => {
    const manual = [1, 2, 3, 4, 5, 6, 7, 8].map((fast) =>
      run({ parts: [...run().parts.slice(0, 2), { name: 'params.fast', value: `${fast}` }] }),
    );
    // Two of the eight runs are also sets of the sweep.
    expect(countWith([], manual)).toMatchObject({ count: 8, earlier: 6 });
    const otherStrategies = manual.map((runLine) => ({
      ...runLine,
      parts: [{ name: 'mine.ts', value: 'ab'.repeat(32) }, ...runLine.parts],
    }));
    expect(countWith([], otherStrategies)).toMatchObject({ count: 10, earlier: 8, all: 10 });
    expect(
      countWith([], [...otherStrategies, ...otherStrategies, ...otherStrategies.map((runLine) => ({ ...runLine, bars: ['spot:X 4h'] }))]),
    ).toMatchObject({ count: 10 });
  });

  it('trials with strategy files of equal content are the same, at any file name and version of isobar', () => {
    const parts = (file: string, version: string) => [
      { name: file, value: 'cd'.repeat(32) },
      { name: 'isobar', value: version },
      { name: 'params.fast', value: '7' },
    ];
    expect(countWith([], [run({ parts: parts('a.ts', '1') }), run({ parts: parts('b.ts', '2') })])).toMatchObject({ count: 3, earlier: 1 });
  });

  it('trials are counted by family, and in total', () => {
    const familyRuns = [4, 5, 6].map((fast) => run({ family: 'breakout', parts: [{ name: 'params.fast', value: `${fast}` }] }));
    expect(countWith([], familyRuns)).toMatchObject({ count: 2, earlier: 0, all: 5 });
    expect(countWith([], familyRuns, { family: 'breakout' })).toMatchObject({ count: 5, earlier: 3, all: 5 });
    // A trial that ran with and without the family counts in both.
    expect(countWith([], [...familyRuns, { ...familyRuns[0]!, family: null }])).toMatchObject({ count: 3, earlier: 1, all: 5 });
  });

  it('trials are the same whether a parameter was swept or written in the definition', () => {
    const parts = [
      { name: 'the definition', value: '1' },
      { name: '--grid', value: 'stop=2,3' },
      { name: 'params.fast', value: '1' },
    ];
    const earlier = content({ id: 'c5', parts }, [
      { ...line(0), params: { stop: 2 } },
      { ...line(1), params: { stop: 3 } },
    ]);
    expect(countWith([earlier])).toMatchObject({ count: 3, earlier: 1 });
  });
});
