// Tests `isobar sweep` from the command line: the same results on any number of threads, in separate runs, and after a kill.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND, type CommandOutput } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { killAndResume } from '../fixtures/killAndResume.ts';
import { SweepFixture } from '../fixtures/sweepFixture.ts';

/** One thread, for tests in which the number does not matter. Each thread loads the whole package. */
const ONE_THREAD = ['--workers', '1'];

/** Runs the sweep in this process. Tests of threads, an interruption or a kill start a process with `fixture.sweep`. */
const sweep = (fixture: SweepFixture, ...args: readonly string[]): Promise<CommandOutput> =>
  commandIn(fixture.folder, ['sweep', 'cross.yaml', ...args]);
const GRID = ['--grid', 'fast=2..12:2', '--grid', 'slow=10..30:10'];

describe('a sweep', () => {
  const fixture = new SweepFixture(2000);
  afterAll(() => fixture.remove());

  it('a sweep runs every set, ranks the results, and writes its trials to the ledger', async () => {
    const { code, stdout, stderr } = await fixture.sweep(...GRID, ...ONE_THREAD);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('18 sets (fast 6 × slow 3) on 1 thread.');
    expect(stdout).toContain('16 sets ran, 2 refused');
    expect(stdout).toContain('2 sets: fast must be below slow');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    const { sets, trials, best } = fixture.json();
    expect(sets).toEqual({ grid: 18, run: 18, ran: 16, refused: 2, failed: 0 });
    expect(trials).toEqual({ family: null, count: 16, earlier: 0, all: 16 });
    const sharpes = best.map(({ figures }) => figures['sharpe'] ?? NaN);
    expect(sharpes).toEqual(sharpes.toSorted((a, b) => b - a));
    expect(fixture.ledgerSets().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, set) => set));
  });

  it('a sweep has the same results on two threads, and when it reads all sets from the ledger', async () => {
    const hash = fixture.json().sweepHash;
    const table = fixture.table();
    const fromLedger = await sweep(fixture, ...GRID, ...ONE_THREAD, '--json');
    expect(fromLedger.stderr).toContain('18 sets already in the ledger');
    expect(JSON.parse(fromLedger.stdout)).toMatchObject({ sweepHash: hash, trials: { count: 16, earlier: 0 } });
    const fresh = await sweep(fixture, ...GRID, '--workers', '2', '--fresh', '--quiet');
    expect(fresh.stdout).toMatch(/^runs\/\d{8}-\d{6}-sweep-cross(-\d)?\n$/);
    expect(fixture.json()).toMatchObject({ sweepHash: hash, trials: { count: 16, earlier: 0 } });
    expect(fixture.table()).toBe(table);
  });

  it('a sweep ends with code 2 before it runs if its ledger folder is a file', async () => {
    const fileAsLedger = new SweepFixture(300);
    fileAsLedger.write('ledger', '');
    const { code, stderr } = await sweep(fileAsLedger, ...GRID, ...ONE_THREAD);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^--ledger .*ledger: expected a folder, got a file\n/)]);
    fileAsLedger.remove();
  });

  it('a set of a sweep has the figures of its own backtest, to the last digit', async () => {
    const { params, figures } = fixture.json().best[0]!;
    const settings = Object.entries(params).flatMap(([name, value]) => ['--set', `params.${name}=${value}`]);
    const { stdout } = await commandIn(fixture.folder, ['backtest', 'cross.yaml', ...settings, '--json']);
    const { metrics, trades } = JSON.parse(stdout) as { metrics: Record<string, number>; trades: Record<string, number> };
    for (const name of ['sharpe', 'totalReturn', 'maxDrawdown']) expect(figures[name]).toBe(metrics[name]);
    expect(figures['trades']).toBe(trades['trades']);
  });

  it('--random draws sets by the seed, --by ranks by another figure, and sets of earlier sweeps count as trials', async () => {
    const args = ['--grid', 'fast=2..6', '--grid', 'slow=10..14', '--random', '7', '--by', 'totalReturn', ...ONE_THREAD];
    const { stderr, stdout } = await sweep(fixture, ...args);
    expect(stderr).toContain('7 sets (fast 5 × slow 5, drawn from 25)');
    expect(stdout, stderr).toContain('The best by Net return');
    const { sets, trials } = fixture.json();
    expect(sets).toMatchObject({ grid: 25, run: 7 });
    expect(trials.earlier).toBeGreaterThanOrEqual(14);
    expect(trials.count).toBeGreaterThan(trials.earlier);
    const table = fixture.table();
    await sweep(fixture, ...args, '--fresh');
    expect(fixture.table()).toBe(table);
  });

  it('a sweep starts no more threads than it has sets', async () => {
    const { code, stderr, stdout } = await sweep(fixture, '--grid', 'fast=2,4', '--fresh', '--workers', '900', '--quiet', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ sets: { ran: 2 } });
    const reported = await sweep(fixture, '--grid', 'fast=2,4', '--workers', '900');
    expect(reported.stderr).toContain('2 sets (fast 2) on 2 threads.');
  });

  it('the commands that a sweep prints are quoted for a shell', async () => {
    fixture.write("it's mine.yaml", readFileSync(join(fixture.folder, 'cross.yaml'), 'utf8'));
    const { stdout } = await commandIn(fixture.folder, ['sweep', "it's mine.yaml", '--grid', 'fast=2,4', ...ONE_THREAD]);
    expect(stdout).toContain(`isobar backtest 'it'\\''s mine.yaml' --set `);
    const run = await commandIn(fixture.folder, ['backtest', "it's mine.yaml", '--out', 'my runs', '--quiet']);
    const report = readFileSync(join(fixture.folder, run.stdout.trim(), 'report.html'), 'utf8');
    expect(report).toMatch(/<code>isobar backtest (&#39;|')my runs\/[\w-]+\/definition\.yaml(&#39;|')<\/code>/);
  });

  it('a sweep with invalid options ends with code 2 and a reason before anything runs', async () => {
    const invalidOptions: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [['--grid', 'fats=1..3'], /--grid fats: no such parameter, the nearest is fast\n {2}there are: fast, slow/],
      [[...GRID, '--set', 'params.slow=20'], /--set params.slow: --grid slow also sets this parameter\n {2}remove one of the two options/],
      [[...GRID, '--set', 'params={ slow: 20 }'], /--set params.slow: --grid slow also sets this parameter/],
      [[...GRID, '--by', 'sharp'], /--by sharp: no such figure, the nearest is sharpe/],
      [[...GRID, '--workers', 'two'], /--workers: expected a whole number from 1 to 1024, got 'two'/],
      [[...GRID, '--no-work'], /--no-work: expected only with --queue/],
      [[...GRID, '--queue', 'localhost'], /--queue: expected the address of a Redis server, got localhost/],
      [
        [...GRID, '--fresh', '--queue', 'redis://u:secret@127.0.0.1:1'],
        /--queue redis:\/\/127.0.0.1:1: no connection: connect ECONNREFUSED/,
      ],
      [[...GRID, '--fresh', '--resume'], /--resume: expected not to be given with --fresh/],
      [['--grid', 'fast=2,3', '--resume'], /--resume: the ledger .*ledger has no interrupted sweep of cross/],
    ];
    for (const [index, [args, message]] of invalidOptions.entries()) {
      const words = ['sweep', 'cross.yaml', ...args];
      // One command in a new process: the same checks refuse it.
      const { code, stdout, stderr } = index === 0 ? await fixture.run(...words) : await commandIn(fixture.folder, words);
      expect(stderr).toMatch(message);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    }
  });
});

describe('several strategies on one account', () => {
  const fixture = new SweepFixture(1000);
  afterAll(() => fixture.remove());

  it('strategies on one account are swept by the names of their parameters, and the printed command repeats one set', async () => {
    fixture.write(
      'cross.yaml',
      readFileSync(join(fixture.folder, 'cross.yaml'), 'utf8').replace(
        'cross.ts',
        '[cross.ts, { file: cross.ts, params: { fast: 3, slow: 9 } }]',
      ),
    );
    const { code, stdout, stderr } = await sweep(fixture, '--grid', 'Cross.fast=4,8', '--grid', 'Cross#2.slow=10..12', ...ONE_THREAD);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('6 sets (Cross.fast 2 × Cross#2.slow 3)');
    const { best } = fixture.json();
    expect(best.map(({ params }) => Object.keys(params))).toEqual(Array.from({ length: 6 }, () => ['Cross.fast', 'Cross#2.slow']));
    expect(new Set(best.map(({ figures }) => figures['totalReturn'])).size).toBe(6);
    const [, command = ''] = /One set {2}isobar (.*?)\n {2}Report/s.exec(stdout) ?? [];
    const singleRun = JSON.parse((await commandIn(fixture.folder, [...command.split(/\s+/), '--json'])).stdout) as {
      metrics: Record<string, number>;
    };
    expect(best.map(({ figures }) => figures['sharpe'])).toContain(singleRun.metrics['sharpe']);
  });

  it('with several strategies, a parameter without the name of its strategy is rejected', async () => {
    const { code, stderr } = await commandIn(fixture.folder, ['sweep', 'cross.yaml', '--grid', 'fast=4,8']);
    expect(stderr).toMatch(/--grid fast: no such parameter.*\n {2}there are: Cross.fast, Cross.slow, Cross#2.fast, Cross#2.slow/);
    expect(code).toBe(2);
  });
});

describe('a strategy that misbehaves', () => {
  const fixture = new SweepFixture(300);
  afterAll(() => fixture.remove());
  /** Writes a strategy that executes `statement` on bar 50 with the parameter n=3. */
  const writeStrategyWith = (statement: string) =>
    fixture.write(
      'cross.ts',
      `import { int, Strategy } from 'isobar';
export default class Cross extends Strategy.with({ n: int(1) }) { i = 0; override onBar() { if (++this.i === 50 && this.params.n === 3) { ${statement} } } }\n`,
    );

  it('a strategy that throws in a sweep is named with its parameters and its bar', async () => {
    writeStrategyWith("throw new Error('three is one too many');");
    const thrown = await sweep(fixture, '--grid', 'n=1..4', ...ONE_THREAD);
    expect(thrown.stderr).toMatch(/with n=3: Cross threw at 2024-01-03 02:00 UTC: three is one too many/);
    expect(thrown.code).toBe(1);
  });

  it('what a strategy prints during a sweep does not mix with the JSON result', async () => {
    writeStrategyWith("console.log('hello');");
    const { stdout } = await sweep(fixture, '--grid', 'n=1..4', ...ONE_THREAD, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ sets: { ran: 4 }, best: [] });
  });

  it('a strategy that ends the thread of its sweep is reported with a remedy', async () => {
    writeStrategyWith('process.exit(7);');
    expect((await fixture.sweep('--grid', 'n=1..4', ...ONE_THREAD)).stderr).toContain(
      'a strategy ended the thread of its sweep\n  remove process.exit from the strategy',
    );
  });
});

describe('a strategy that hangs', () => {
  const fixture = new SweepFixture(300);
  afterAll(() => fixture.remove());
  /** Returns a strategy file with this member, which may call `hang`. */
  const strategyThatHangs = (member: string) =>
    `import { int, Strategy } from 'isobar';
const hang = () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); };
export default class Cross extends Strategy.with({ n: int(1) }) {
  i = 0;
  ${member}
}\n`;
  const args = ['--grid', 'n=1..6', '--bar-timeout', '1', '--json'];

  it('sets that never return from a bar fail with that bar, and all others have the results of separate runs', async () => {
    fixture.write(
      'cross.ts',
      strategyThatHangs('override onBar() { if (++this.i === 50 && this.params.n % 3 === 0) hang(); if (this.i === 20) this.buy(); }'),
    );
    const { code, stdout, stderr } = await sweep(fixture, ...args, ...ONE_THREAD);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/4 sets ran, 2 failed[\s\S]*Failed: 2 sets: no answer for 1 s on the bar that closed at 2024-01-03 02:00 UTC/);
    expect(JSON.parse(stdout)).toMatchObject({ sets: { ran: 4, refused: 0, failed: 2 }, failures: [{ sets: 2 }], trials: { count: 4 } });
    expect(fixture.ledgerSets().toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    // The results of the sets beside the stalled ones are those of separate runs.
    const jointSweep = JSON.parse(stdout) as { best: { params: object; figures: object }[] };
    const singleSweep = await sweep(fixture, '--grid', 'n=1,2,4,5', ...ONE_THREAD, '--json');
    expect((JSON.parse(singleSweep.stdout) as typeof jointSweep).best.map(({ figures }) => figures)).toEqual(
      jointSweep.best.map(({ figures }) => figures),
    );
    expect((await sweep(fixture, ...args, ...ONE_THREAD)).stderr).toContain('6 sets already in the ledger');
  });

  it('a set that hangs in its constructor fails, and with --bar-timeout 0 the sweep waits until Ctrl-C', async () => {
    fixture.write('cross.ts', strategyThatHangs('wait = this.params.n === 2 ? hang() : null; override onBar() {}'));
    const { stderr, stdout } = await sweep(fixture, ...args, '--workers', '2');
    expect(stderr).toContain('Failed: 1 set: no answer for 1 s while it was constructed');
    expect(JSON.parse(stdout)).toMatchObject({ sets: { ran: 5, failed: 1 } });
    const interrupted = await fixture.interrupt(
      '6 sets',
      'sweep',
      'cross.yaml',
      '--grid',
      'n=1..6',
      '--fresh',
      '--bar-timeout',
      '0',
      ...ONE_THREAD,
    );
    expect(interrupted.code).toBe(130);
  });
});

describe('an interrupted sweep', () => {
  const fixture = new SweepFixture(2000);
  afterAll(() => fixture.remove());
  const grid = ['--grid', 'fast=2..20', '--grid', 'slow=22..26'];

  it('a sweep that Ctrl-C interrupts says how to resume, and --resume rejects changed inputs by name', async () => {
    const interrupted = await fixture.interrupt('95 sets', 'sweep', 'cross.yaml', ...grid);
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toMatch(/Stopped: \d+ of 95 sets are in the ledger. Resume with: isobar sweep cross.yaml .* --resume/);
    const withoutResume = await sweep(fixture, ...grid);
    expect(withoutResume.stderr).toMatch(
      /a sweep with the same inputs was interrupted, with \d+ of 95 sets done\n {2}use --resume to continue it, or --fresh to start over/,
    );
    expect(withoutResume.code).toBe(2);
    const strategy = readFileSync(join(fixture.folder, 'cross.ts'), 'utf8');
    fixture.write('cross.ts', strategy.replace('below slow', 'less than slow'));
    const resumeArgs = ['sweep', 'cross.yaml', ...grid, '--resume'];
    const withChangedStrategy = await commandIn(fixture.folder, resumeArgs);
    expect(withChangedStrategy.stderr).toMatch(/--resume: .*cross-\w+.jsonl has other inputs: cross.ts was \w{12}, is \w{12}\n/);
    fixture.write('cross.ts', strategy);
    const withChangedSetting = await commandIn(fixture.folder, [...resumeArgs, '--set', 'fees.taker=0.002']);
    expect(withChangedSetting.stderr).toMatch(/has other inputs: the definition was/);
    expect((await sweep(fixture, ...grid, '--resume')).code).toBe(0);
    expect(fixture.runs().filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('a sweep that a full disk interrupts says so, and --resume continues from the ledger', async () => {
    const words = ['sweep', 'cross.yaml', '--grid', 'fast=2..31', '--grid', 'slow=40,50', '--fresh', ...ONE_THREAD];
    // A limit on the size of files simulates a full disk.
    const limited = spawnSync('bash', ['-c', 'ulimit -f 16; exec "$0" "$@"', process.execPath, COMMAND, ...words], {
      cwd: fixture.folder,
      encoding: 'utf8',
    });
    expect(limited.stderr).toMatch(/ledger: the trial ledger cannot be written: EFBIG/);
    expect(limited.stderr).not.toContain('fault of isobar');
    expect(limited.status).toBe(2);
    const { code, stderr } = await sweep(fixture, '--grid', 'fast=2..31', '--grid', 'slow=40,50', '--resume', ...ONE_THREAD);
    expect(stderr).toMatch(/\d+ sets already in the ledger/);
    expect(code).toBe(0);
  });

  it('a sweep that kill -9 interrupts twice is resumed to the same table, and no set runs twice', async () => {
    const startMs = performance.now();
    await fixture.sweep(...grid, '--fresh');
    const aloneMs = performance.now() - startMs;
    const uninterrupted = { sweepHash: fixture.json().sweepHash, table: fixture.table() };
    expect((await killAndResume({ bars: 2000, grid, kills: 2, seed: 20, aloneMs, ...uninterrupted })).kills).toBe(2);
  });
});
