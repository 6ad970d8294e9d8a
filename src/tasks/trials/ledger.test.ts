// The trial ledger after a crash: complete lines are read whatever part of the last write is lost, and the rest is written again.
import fc from 'fast-check';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { continueLedger, createLedger, findLedger, freshPath, isFinished, readLedger } from './ledger.ts';
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

function line(set: number, sharpe: number | null = set / 3): SetLine {
  return { kind: 'set', set, params: { fast: set }, figures: { sharpe, trades: 4 }, refused: null };
}

describe('a line', () => {
  it('a line comes back with every bit, and not at all once a letter has changed', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.nat(), (value, text, at) => {
        const written = encodeLine({ ...line(1), figures: { sharpe: value === 0 ? 0 : value }, refused: text });
        expect(decodeLine(written)).toEqual({ ...line(1), figures: { sharpe: value === 0 ? 0 : value }, refused: text, crc: undefined });
        const place = at % written.length;
        const letter = written[place] === 'x' ? 'y' : 'x';
        expect(decodeLine(written.slice(0, place) + letter + written.slice(place + 1))).toBeNull();
        expect(decodeLine(written.slice(0, place))).toBeNull();
      }),
    );
  });
});

describe('a ledger', () => {
  it('a ledger gives back what was appended, wherever its last write was cut', async () => {
    const path = join(root, 'cut.jsonl');
    const writer = await createLedger(path, header());
    await Promise.all([writer.append([line(0), line(1)]), writer.append([line(2)]), writer.append([line(3), line(4)])]);
    await writer.close();
    const whole = readFileSync(path);
    expect(readLedger(path)?.results.size).toBe(5);
    expect(isFinished(readLedger(path)!)).toBe(true);
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).map((at) => at + 1);
    for (let bytes = 0; bytes <= whole.length; bytes += 7) {
      writeFileSync(path, whole);
      truncateSync(path, bytes);
      const lines = ends.filter((end) => end <= bytes).length;
      const found = readLedger(path);
      expect(found?.results.size ?? -1).toBe(lines - 1);
      if (found === null) continue;
      const again = await continueLedger(found);
      await again.append([0, 1, 2, 3, 4].filter((set) => !found.results.has(set)).map((set) => line(set)));
      await again.close();
      expect(readLedger(path)).toMatchObject({ isTorn: false, wholeBytes: readFileSync(path).length });
      expect(new Map([...readLedger(path)!.results].toSorted(([a], [b]) => a - b))).toEqual(
        new Map([0, 1, 2, 3, 4].map((set) => [set, expect.objectContaining(line(set))])),
      );
    }
  });

  it('a ledger refuses a file that is damaged in its middle, by file and line', async () => {
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
    for (let turn = 0; turn < 3; turn++) await (await createLedger(freshPath(folder, header()), header())).close();
    await (await createLedger(freshPath(folder, header({ id: 'cd'.repeat(32) })), header({ id: 'cd'.repeat(32) }))).close();
    expect(findLedger(folder, header().id)).toBe(join(folder, 'sma-abababababab-3.jsonl'));
    expect(findLedger(folder, 'ef'.repeat(32))).toBeNull();
  });
});

describe('trials', () => {
  const content = (change: Partial<SweepHeader>, lines: readonly SetLine[]) => ({
    path: '', header: header(change), results: new Map(lines.map((each) => [each.set, each])), wholeBytes: 0, isTorn: false,
  }); // prettier-ignore

  const run = (change: Partial<RunLine> = {}): RunLine => ({
    kind: 'run', format: 'isobar ledger 1', name: 'r', strategy: 'Any', bars: ['spot:X 1h'],
    parts: [{ name: 'the definition', value: '1' }, { name: 'params.stop', value: '2' }, { name: 'params.fast', value: '1' }],
    figures: { sharpe: 2 }, startedAt: '2024-01-01T00:00:00Z', ...change,
  }); // prettier-ignore
  const counted = (sweeps: ReturnType<typeof content>[], runs: RunLine[] = [], of: Partial<SweepHeader> = {}, own = [line(1), line(2)]) =>
    countTrials(header(of), own, { sweeps, runs }, 'sharpe');

  it('trials count every different set on the instruments and intervals once, whatever strategy, and those that were refused not at all', () => {
    const own = [line(0), line(1), { ...line(2), figures: null, refused: 'no' }];
    const same = content({ id: 'c1' }, [line(1), line(3)]);
    const other = content({ id: 'c2', strategy: 'Other', parts: [{ name: 'other.ts', value: 'ef'.repeat(32) }] }, [line(7)]);
    const elsewhere = content({ id: 'c3', bars: ['spot:Y 1h'] }, [line(8)]);
    const changed = content({ id: 'c4', parts: [{ name: 'the definition', value: '9' }] }, [line(1)]);
    const trials = counted([same, other, elsewhere, changed], [], {}, own);
    expect(trials).toMatchObject({ count: 5, earlier: 3, all: 5 });
    expect([...trials.values].toSorted((a, b) => a - b)).toEqual([0, 1 / 3, 1 / 3, 1, 7 / 3]);
  });

  it('trials count single runs, each different one once, and not those on other data', () => {
    const manual = [1, 2, 3, 4, 5, 6, 7, 8].map((fast) =>
      run({ parts: [...run().parts.slice(0, 2), { name: 'params.fast', value: `${fast}` }] }),
    );
    // Two of the eight are the sets of the sweep themselves.
    expect(counted([], manual)).toMatchObject({ count: 8, earlier: 6 });
    const others = manual.map((each) => ({ ...each, parts: [{ name: 'mine.ts', value: 'ab'.repeat(32) }, ...each.parts] }));
    expect(counted([], others)).toMatchObject({ count: 10, earlier: 8, all: 10 });
    expect(counted([], [...others, ...others, ...others.map((each) => ({ ...each, bars: ['spot:X 4h'] }))])).toMatchObject({ count: 10 });
  });

  it('trials know a strategy file by its content, whatever it is called, and no version of isobar', () => {
    const parts = (file: string, version: string) => [
      { name: file, value: 'cd'.repeat(32) },
      { name: 'isobar', value: version },
      { name: 'params.fast', value: '7' },
    ];
    expect(counted([], [run({ parts: parts('a.ts', '1') }), run({ parts: parts('b.ts', '2') })])).toMatchObject({ count: 3, earlier: 1 });
  });

  it('trials of a family stand apart, and both counts are known', () => {
    const others = [4, 5, 6].map((fast) => run({ family: 'breakout', parts: [{ name: 'params.fast', value: `${fast}` }] }));
    expect(counted([], others)).toMatchObject({ count: 2, earlier: 0, all: 5 });
    expect(counted([], others, { family: 'breakout' })).toMatchObject({ count: 5, earlier: 3, all: 5 });
    // A trial of both counts in each.
    expect(counted([], [...others, { ...others[0]!, family: null }])).toMatchObject({ count: 3, earlier: 1, all: 5 });
  });

  it('trials are the same whether a parameter was swept or stood in the definition', () => {
    const parts = [
      { name: 'the definition', value: '1' },
      { name: '--grid', value: 'stop=2,3' },
      { name: 'params.fast', value: '1' },
    ];
    const earlier = content({ id: 'c5', parts }, [
      { ...line(0), params: { stop: 2 } },
      { ...line(1), params: { stop: 3 } },
    ]);
    expect(counted([earlier])).toMatchObject({ count: 3, earlier: 1 });
  });
});
