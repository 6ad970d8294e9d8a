// Tests `isobar verify`: it reports identical when nothing has changed, and names the file in which any byte has changed.

import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { backtest, generateBars } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerifyVerdict } from '../../src/tasks/backtest/verify/verify.ts';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { CROSS, verify, VerifiedFixture } from '../fixtures/verified.ts';

/** A SHA-256 in hex. */
const HASH = /^[0-9a-f]{64}$/;

describe('isobar verify', () => {
  const fixture = new CliFixture();
  const isobar = (...args: readonly string[]) => commandIn(fixture.folder, args);
  afterAll(() => fixture.remove());

  it('isobar verify reports identical for a run of the demo', async () => {
    await isobar('backtest', '--demo', '--quiet');
    const [runName = ''] = fixture.runs();
    const verified = await fixture.run('verify', `runs/${runName}`);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toMatch(/^ {2}identical\n/);
    const { inputs, rows } = JSON.parse((await isobar('verify', `runs/${runName}`, '--json')).stdout) as VerifyVerdict;
    expect(inputs).toBe(2);
    expect(rows.instants).toBe(35_136);
  });

  it('isobar verify repeats a run on a file of bars, and names the file when it has changed', async () => {
    const rows = Array.from({ length: 400 }, (_, row) => {
      const close = (100 + 10 * Math.sin(row / 9)).toFixed(2);
      return `${Date.UTC(2024, 0, 1) + row * 3_600_000},${close},${close},${close},${close},5`;
    });
    const csv = `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`;
    fixture.write('XYZUSDT-1h.csv.gz', gzipSync(csv));
    const options = ['--data', 'XYZUSDT-1h.csv.gz', '--cash', '5000', '--params', 'fast=3', '--params', 'slow=8', '--quiet'];
    const backtested = await isobar('backtest', `${STRATEGIES}/smaCross.ts`, ...options);
    const runFolder = backtested.stdout.trim();
    expect(backtested.code, backtested.stderr).toBe(0);
    expect((await isobar('verify', runFolder)).code).toBe(0);
    fixture.write('XYZUSDT-1h.csv.gz', gzipSync(csv.replace('100.00', '100.01')));
    const { code, stdout } = await isobar('verify', runFolder);
    expect(code).toBe(3);
    expect(stdout).toContain('XYZUSDT-1h.csv.gz changed');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(await isobar('verify', runFolder, '--quiet')).toEqual({ code: 3, stdout: '', stderr: '' });
  });

  it('isobar verify rejects a folder that is not a run folder, with a remedy', async () => {
    const { code, stdout, stderr } = await isobar('verify', '.');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^\.: expected a run folder, got one with .*\n {2}the newest run in it is runs\/\d{8}-\d{6}-/);
    const file = fixture.write('empty/readme.txt', 'x');
    await expect(verify(join(fixture.folder, 'nowhere'))).rejects.toThrow(/nowhere: no such run folder$/);
    await expect(verify(join(fixture.folder, 'empty'))).rejects.toThrow(/expected a run folder, got one with readme\.txt$/);
    await expect(verify(file)).rejects.toThrow(/expected a run folder, got a file$/);
  });
});

describe('a run whose files have changed', () => {
  const fixture = new VerifiedFixture();
  const flipByte = (byteIndex: number) => (bytes: Buffer) => {
    bytes[byteIndex % bytes.length]! ^= 1;
    return bytes;
  };
  beforeAll(() => fixture.make());
  afterAll(() => fixture.remove());

  it('the manifest of a run records every input file with its hash', async () => {
    const { inputs, startedIn } = JSON.parse(readFileSync(join(fixture.run, 'manifest.json'), 'utf8')) as {
      startedIn: string;
      inputs: { use: string; file: string; sha256: string }[];
    };
    expect(startedIn).toBe(join('..', '..'));
    expect(inputs).toEqual(
      [
        ['definition', 'run.yaml'],
        ['strategy', 'strategies/lib/lengths.ts'],
        ['strategy', 'strategies/cross.ts'],
        ['data', 'data/spot/ABCUSDT/1h.arrow'],
        ['data', 'data/spot/ABCUSDT/instrument.json'],
      ].map(([use, file]) => ({ use, file, sha256: expect.stringMatching(HASH) })),
    );
    expect(await verify(fixture.run)).toMatchObject({ outcome: 'identical', changed: [], inputs: 7 });
  });

  it.each(['data/spot/ABCUSDT/1h.arrow', 'strategies/cross.ts', 'strategies/lib/lengths.ts', 'run.yaml', 'package-lock.json'])(
    'verify names the input %s if any of its bytes has changed, with both hashes',
    async (file) => {
      const size = statSync(fixture.path(file)).size;
      await fc.assert(
        fc.asyncProperty(fc.nat(size - 1), async (byteIndex) => {
          const { changed, outcome } = await fixture.changed(fixture.path(file), flipByte(byteIndex), () => verify(fixture.run));
          expect(changed).toEqual([
            { use: expect.any(String), file: fixture.path(file), recorded: expect.stringMatching(HASH), now: expect.stringMatching(HASH) },
          ]);
          expect(changed[0]?.now).not.toBe(changed[0]?.recorded);
          if (file.endsWith('.json') || file === 'run.yaml') expect(outcome).toBe('identical');
        }),
        { numRuns: 4 },
      );
    },
  );

  it.each(['orders.csv', 'fills.csv', 'trades.csv', 'equity.arrow', 'summary.json', 'definition.yaml'])(
    'verify names %s of the run folder if any of its bytes has changed',
    async (file) => {
      const path = join(fixture.run, file);
      // The verdict of a proof is taken as recorded (docs/trust.md). It is the last member of the summary.
      const endOfBytes = file === 'summary.json' ? readFileSync(path).indexOf('"proof"') : statSync(path).size;
      expect(endOfBytes).toBeGreaterThan(0);
      await fc.assert(
        fc.asyncProperty(fc.nat(endOfBytes - 1), async (byteIndex) => {
          const { changed, differences, outcome } = await fixture.changed(path, flipByte(byteIndex), () => verify(fixture.run));
          const namedFiles =
            file === 'definition.yaml' ? changed.map((input) => input.file) : differences.map((input) => join(fixture.run, input.file));
          expect(namedFiles[0]).toBe(path);
          if (file !== 'definition.yaml') expect(outcome).toBe('different');
        }),
        { numRuns: 6 },
      );
    },
  );

  it('the verdict of a proof in summary.json is taken as recorded', async () => {
    const path = join(fixture.run, 'summary.json');
    const withOtherVerdict = (bytes: Buffer) => Buffer.from(bytes.toString().replace('"verdict": "not-proved"', '"verdict": "refuted"'));
    const { outcome, differences } = await fixture.changed(path, withOtherVerdict, () => verify(fixture.run));
    expect([outcome, differences]).toEqual(['identical', []]);
  });

  it('verify names a lock file that was added after the run', async () => {
    const withoutLockFile = new VerifiedFixture();
    await withoutLockFile.make([], false);
    expect(await verify(withoutLockFile.run)).toMatchObject({ outcome: 'identical', changed: [] });
    writeFileSync(withoutLockFile.path('package-lock.json'), '{}');
    const { outcome, changed } = await verify(withoutLockFile.run);
    expect([outcome, changed]).toEqual([
      'identical',
      [{ use: 'lock file', file: withoutLockFile.path('package-lock.json'), recorded: null, now: expect.stringMatching(HASH) }],
    ]);
    withoutLockFile.remove();
  });

  it('verify names every changed input, and the first difference of each result file with both values', async () => {
    const lengths = fixture.path('strategies/lib/lengths.ts');
    const withOtherLength = (bytes: Buffer) => String(bytes).replace('20', '21');
    const withBlank = (bytes: Buffer) => `${String(bytes)} `;
    const verifyWithOtherLock = () => fixture.changed(fixture.path('package-lock.json'), withBlank, () => verify(fixture.run));
    const verdict = await fixture.changed(lengths, withOtherLength, verifyWithOtherLock);
    expect(verdict).toMatchObject({ outcome: 'different', isFolderAltered: false });
    expect(verdict.changed.map(({ file }) => file)).toEqual([lengths, fixture.path('package-lock.json')]);
    expect(verdict.differences.map(({ file }) => file)).toEqual(['orders.csv', 'fills.csv', 'equity.arrow', 'trades.csv', 'summary.json']);
    const [orderDifference, fillDifference, equityDifference] = verdict.differences;
    expect(orderDifference?.what).toMatch(/^order \d+, \w+$/);
    const [, row = '', column = ''] = /^fill (\d+), (\w+)$/.exec(fillDifference?.what ?? '') ?? [];
    const lines = readFileSync(join(fixture.run, 'fills.csv'), 'utf8').split('\n');
    const cell = lines[Number(row)]?.split(',')[lines[0]?.split(',').indexOf(column) ?? -1];
    expect(fillDifference?.recorded).toBe(cell);
    expect(fillDifference?.now).not.toBe(cell);
    expect(equityDifference?.where).toMatch(/^2024-01-\d\d \d\d:\d\d UTC$/);
  });

  it('verify distinguishes a folder that was altered from a result that differs', async () => {
    const withOtherPrice = (bytes: Buffer) => String(bytes).replace(/(\d\.\d)\d*(?=,[^\n]*\n$)/, '$19');
    const altered = await fixture.changed(join(fixture.run, 'fills.csv'), withOtherPrice, () =>
      fixture.changed(
        fixture.path('strategies/lib/lengths.ts'),
        (bytes) => String(bytes).replace('20', '21'),
        () => verify(fixture.run),
      ),
    );
    expect(altered).toMatchObject({ outcome: 'different', isFolderAltered: true });
    const withOtherHash = (bytes: Buffer) =>
      String(bytes).replace(/("resultHash": ")./, (_, head: string) => `${head}${head.length % 2 === 0 ? '0' : '1'}`);
    const withChangedManifest = await fixture.changed(join(fixture.run, 'manifest.json'), withOtherHash, () => verify(fixture.run));
    if (withChangedManifest.resultHash.now !== withChangedManifest.resultHash.recorded)
      expect(withChangedManifest).toMatchObject({
        outcome: 'different',
        isFolderAltered: true,
        differences: [{ file: 'manifest.json', what: 'resultHash' }],
      });
  });

  it('a run whose strategy is missing, or throws, is reported as not repeated', async () => {
    renameSync(fixture.path('strategies'), fixture.path('elsewhere'));
    const withoutStrategy = await verify(fixture.run);
    renameSync(fixture.path('elsewhere'), fixture.path('strategies'));
    expect(withoutStrategy).toMatchObject({ outcome: 'notRun', failure: { message: expect.stringContaining('strategies/cross.ts') } });
    expect(withoutStrategy.changed).toMatchObject([{ now: null }, { now: null }]);
    const withThrow = (bytes: Buffer) => String(bytes).replace('this.buy()', "{ throw new Error('no'); }");
    const thrown = await fixture.changed(fixture.path('strategies/cross.ts'), withThrow, () => verify(fixture.run));
    expect(thrown).toMatchObject({ outcome: 'notRun', failure: { message: expect.stringContaining('Cross threw at 2024-01') } });
  });

  it('verify names a file to which later bars were added, and the result is identical', async () => {
    const { changed, outcome } = await fixture.withCurrentFolder(async () => {
      const before = readFileSync('data/spot/ABCUSDT/1h.arrow');
      await fixture.importBars(2000, 2100);
      const verdict = await verify(fixture.run);
      writeFileSync('data/spot/ABCUSDT/1h.arrow', before);
      return verdict;
    });
    expect(outcome).toBe('identical');
    expect(changed.map(({ file }) => file)).toEqual(['data/spot/ABCUSDT/1h.arrow']);
  });

  it('verify finds the input files of a moved project, and those of a moved run by the current folder or --in', async () => {
    const movedProject = `${fixture.folder}-moved`;
    cpSync(fixture.folder, movedProject, { recursive: true });
    expect(await verify(fixture.run.replace(fixture.folder, movedProject))).toMatchObject({ outcome: 'identical', changed: [] });
    const runOnly = join(movedProject, 'a', 'b', 'c', 'run');
    cpSync(fixture.run, runOnly, { recursive: true });
    rmSync(join(movedProject, 'strategies'), { recursive: true });
    expect(await verify(runOnly)).toMatchObject({ outcome: 'notRun' });
    expect(await verify(runOnly, fixture.folder)).toMatchObject({ outcome: 'identical', changed: [] });
    expect(await fixture.withCurrentFolder(() => verify(runOnly))).toMatchObject({ outcome: 'identical', changed: [] });
    rmSync(movedProject, { recursive: true });
  });
});

describe('verify of other runs', () => {
  const fixture = new VerifiedFixture();
  beforeAll(() => fixture.make());
  afterAll(() => fixture.remove());

  it('a run with --set is verified', async () => {
    const runFolder = await fixture.make(['fills.slippage=0.0005', 'size.equity=0.4', 'name=laid']);
    expect(await verify(runFolder)).toMatchObject({ outcome: 'identical', changed: [] });
  });

  it('a run that depends on Math.random is reported as different without a changed input', async () => {
    fixture.write('strategies/cross.ts', CROSS.replace('this.buy()', '{ if (Math.random() < 0.5) this.buy(); }'));
    const runFolder = await fixture.withCurrentFolder(async () =>
      join(fixture.folder, await (await backtest({ definition: 'run.yaml' })).write('runs')),
    );
    expect(await verify(runFolder)).toMatchObject({ outcome: 'different', changed: [], isFolderAltered: false });
  });

  it('verify rejects a run made in code, and names the hash that its code must give', async () => {
    const bars = generateBars({ bars: 500 });
    const result = await backtest({ strategy: `${STRATEGIES}/smaCross.ts`, params: { fast: 3, slow: 9 }, data: bars, cash: '1000' });
    const runFolder = await result.write(fixture.path('runs'));
    const verdict = verify(runFolder);
    await expect(verdict).rejects.toThrow(/made in code \(the bars of SYNUSDT 1h\)/);
    await expect(verdict).rejects.toMatchObject({ remedy: `run that code again: it must give the resultHash ${result.resultHash}` });
  });

  it.each([
    ['half-written', (runFolder: string) => rmSync(join(runFolder, 'fills.csv')), /the run is not whole: fills\.csv is missing/],
    [
      'without its manifest',
      (runFolder: string) => rmSync(join(runFolder, 'manifest.json')),
      /the run is not whole: its manifest is missing/,
    ],
    [
      'of another format',
      (runFolder: string) => replaceInManifest(runFolder, '"isobar run 1"', '"isobar run 9"'),
      /format: expected 'isobar run 1', got "isobar run 9"/,
    ],
    [
      'of an earlier isobar',
      (runFolder: string) => replaceInManifest(runFolder, '"startedIn"', '"other"'),
      /manifest\.json startedIn: not as isobar wrote it$/,
    ],
    [
      'with an empty manifest',
      (runFolder: string) => writeFileSync(join(runFolder, 'manifest.json'), '{}'),
      /manifest\.json format: expected .*, got nothing$/,
    ],
    [
      'with a list as manifest',
      (runFolder: string) => writeFileSync(join(runFolder, 'manifest.json'), '[]'),
      /manifest\.json format: expected .*, got nothing$/,
    ],
    ['with a torn manifest', (runFolder: string) => replaceInManifest(runFolder, '"startedIn"', ''), /manifest\.json: not whole JSON/],
    [
      'of a sweep',
      (runFolder: string) => writeFileSync(join(runFolder, 'sweep.json'), '{}'),
      /expected the folder of a run, got that of a sweep/,
    ],
  ])('verify rejects a run folder %s', async (_, damage, message) => {
    const runFolder = join(fixture.folder, 'runs', 'damaged');
    cpSync(fixture.run, runFolder, { recursive: true });
    damage(runFolder);
    await expect(verify(runFolder)).rejects.toThrow(message);
    rmSync(runFolder, { recursive: true });
    expect(existsSync(join(runFolder, '..', 'temporary'))).toBe(false);
  });

  it('the remedy for a run with a blank in its path is quoted for a shell', async () => {
    const runFolder = join(fixture.folder, 'runs', 'half of one');
    cpSync(fixture.run, runFolder, { recursive: true });
    rmSync(join(runFolder, 'fills.csv'));
    await expect(verify(runFolder)).rejects.toMatchObject({
      remedy: expect.stringMatching(/isobar backtest '.*half of one\/definition\.yaml'$/),
    });
    rmSync(runFolder, { recursive: true });
  });
});

/** Replaces a text in the manifest of a run. */
function replaceInManifest(runFolder: string, from: string, to: string): void {
  const path = join(runFolder, 'manifest.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
