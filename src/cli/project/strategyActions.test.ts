// Tests `isobar strategy new`, `list` and `show`, and of their messages about invalid files.

import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { EXIT } from '../../base/errors.ts';
import { CliFixture } from '../../../test/fixtures/cliFixture.ts';
import { commandIn } from '../../../test/fixtures/inProcess.ts';

const fixture = new CliFixture();
afterAll(() => fixture.remove());

const ROTATION = `/**
 * Many feeds. And a second sentence.
 */
import { choice, crossedUp, decimal, flag, int, roc, sma, Strategy } from 'isobar';

export default class Rotation extends Strategy.with({
  look: int(24, { min: 2, unit: 'bars', help: 'how far back' }),
  lot: decimal('0.01', { min: '0.001', max: '1' }),
  mode: choice(['calm', 'wild'], 'calm'),
  on: flag(true),
}) {
  universe = this.feeds('universe');
  slow = this.feed('slow', { interval: '1d' });
  ranks = this.universe.map((feed) => this.use(roc(feed.close, this.params.look)));
  signals = this.universe.map((feed) => this.when(crossedUp(feed.close, sma(feed.close, 5)), () => {}));
  average = this.use(sma(this.slow.close, 7));
  held = this.position(this.slow);
  begin = this.equity / 2;
  timers = [this.every('1h', () => {}), this.at('08:30', () => {})];
  override onStop() {}
}
`;
const ROTATION_SHOWN = `Rotation  strategies/deep/rotation.ts
  Many feeds. And a second sentence.

parameter  kind     default  range       unit
look       int      24       at least 2  bars
    how far back
lot        decimal  0.01     0.001 to 1
mode       choice   calm     calm, wild
on         flag     true

feed      asks for          interval  warm-up
universe  all of that name  any       25 bars
slow      one               1d        7 bars

Indicators  roc(close, 24)
            crossedUp(close, sma(close, 5))
            sma(close, 7)
Called      onStop
            when crossedUp(close, sma(close, 5))
            every 3600 s
            at 08:30 UTC
`;

describe('new', () => {
  it('isobar strategy new writes a strategy and its test, prints how to run them, and overwrites no file', async () => {
    const { code, stdout } = await fixture.run('strategy', 'new', 'mean-dip');
    expect(code).toBe(0);
    expect(stdout).toBe(
      'Made\n  strategies/meanDip.ts\n  strategies/meanDip.test.ts\n\nNext:\n  npx isobar strategy show strategies/meanDip.ts\n' +
        '  npx isobar backtest strategies/meanDip.ts --demo\n  npx vitest run strategies/meanDip.test.ts\n',
    );
    const text = readFileSync(join(fixture.folder, 'strategies/meanDip.test.ts'), 'utf8');
    expect(text).toContain("import MeanDip from './meanDip.ts'");
    expect(text).not.toMatch(/meanCross/i);
    const repeatedNew = await commandIn(fixture.folder, ['strategy', 'new', 'MeanDip']);
    expect([repeatedNew.code, repeatedNew.stderr]).toEqual([
      EXIT.badInput,
      'strategies/meanDip.ts, strategies/meanDip.test.ts: there already\n  choose another name, or move it away first\n',
    ]);
  });
  it('isobar strategy new in a project prints the command that runs the strategy with the definition of the project', async () => {
    fixture.write('backtests/first.yaml', '');
    expect((await commandIn(fixture.folder, ['strategy', 'new', 'Second'])).stdout).toContain(
      '  npx isobar backtest backtests/first.yaml --set strategy=strategies/second.ts\n',
    );
  });
});

describe('show', () => {
  const showInProcess = (name: string, text: string) => {
    fixture.write(name, text);
    return commandIn(fixture.folder, ['strategy', 'show', name]);
  };

  const showInNewProcess = (name: string, text: string) => {
    fixture.write(name, text);
    return fixture.run('strategy', 'show', name);
  };

  it('isobar strategy show prints parameters, feeds with their warm-up, indicators and callbacks', async () => {
    const answer = { code: 0, stdout: ROTATION_SHOWN, stderr: '' };
    expect(await showInProcess('strategies/deep/rotation.ts', ROTATION)).toEqual(answer);
    expect(await showInNewProcess('strategies/deep/rotation.ts', ROTATION)).toEqual(answer);
  });
  it('isobar strategy show --json prints the same facts and the hash of the code', async () => {
    const { stdout } = await commandIn(fixture.folder, ['strategy', 'show', 'strategies/meanDip.ts', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'MeanDip',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      params: [{ name: 'fast', kind: 'int', default: '10', range: '1 to 500', unit: 'bars', help: 'length of the fast average' }, {}, {}],
      feeds: [{ name: 'bars', interval: null, isList: false, warmupBars: 41 }],
    });
  });
  it('isobar strategy show lists the default feed when only a callback reads it', async () => {
    const body = "trend = this.feed('trend'); override onBar() { if (this.bars.close.value > 1) this.buy(); }";
    const { stdout } = await showInProcess(
      'reads.ts',
      `import { Strategy } from 'isobar';\nexport default class Reads extends Strategy { ${body} }`,
    );
    expect(stdout).toMatch(/\nbars .*\ntrend /);
  });
  it('isobar strategy show states that a strategy without onBar and handlers never trades', async () => {
    const { stdout } = await showInProcess(
      'idle.ts',
      "import { Strategy } from 'isobar';\nexport default class Idle extends Strategy {}\n",
    );
    expect(stdout).toContain('Called      never: it has neither onBar nor a handler');
  });

  it.each([
    ['x = this.buy();', EXIT.badInput, /^bad\.ts: an order while the strategy is constructed\n {2}trade from onStart/],
    ['x = this.use(sma(this.bars.close, 0));', EXIT.badInput, /^bad\.ts: sma: .*\n {2}\S/],
    ["x = JSON.parse('{');", EXIT.failed, /^bad\.ts: it cannot be constructed with its default parameters: [\s\S]*bad\.ts:3:/],
    ['x = ', EXIT.badInput, /^bad\.ts:4:\d+: /],
  ])('isobar strategy show of an invalid strategy (%s) prints the reason', async (body, exit, reply) => {
    const text = `import { sma, Strategy } from 'isobar';\nexport default class Bad extends Strategy {\n  ${body}\n  override onBar() {}\n}\n`;
    // Only a separate process can name the lines of the user's file.
    const { code, stdout, stderr } = exit === EXIT.failed ? await showInNewProcess('bad.ts', text) : await showInProcess('bad.ts', text);
    expect(stderr).toMatch(reply);
    expect(stderr).not.toContain('fault of isobar');
    expect([code, stdout]).toEqual([exit, '']);
  });
});

test('isobar strategy list prints each strategy with its first sentence, or the error of its file', async () => {
  fixture.write('strategies/shared.ts', 'export const two = 2;\n');
  fixture.write('strategies/wrong.ts', "import { smaa } from 'isobar';\nexport default smaa;\n");
  const [{ code, stdout }, { stdout: json }] = await Promise.all([
    fixture.run('strategy', 'list'),
    fixture.run('strategy', 'list', '--json'),
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Rotation {2}\(4 parameters; feeds: universe, slow\)\n {2}strategies\/deep\/rotation\.ts\n {2}Many feeds\.\nMeanDip/,
  );
  expect(stdout).toMatch(/^SmaCross {2}\(2 parameters; feeds: bars\)$/m);
  expect(stdout).toMatch(/^strategies\/wrong\.ts: isobar exports no 'smaa'/m);
  expect(stdout).not.toContain('shared.ts');
  const about = { name: 'Rotation', file: 'strategies/deep/rotation.ts', about: 'Many feeds.', params: 4, feeds: ['universe', 'slow'] };
  expect(JSON.parse(json)[0]).toEqual({ ...about, problem: null });
});

describe('list', () => {
  it('isobar strategy list skips folders and broken links, and reads a file that begins with a byte order mark', async () => {
    fixture.write('strategies/folder.ts/inner.md', 'export default');
    symlinkSync('gone.ts', join(fixture.folder, 'strategies/broken.ts'));
    fixture.write(
      'strategies/marked.ts',
      "\uFEFF// Says so.\r\nimport { Strategy } from 'isobar';\r\nexport default class Marked extends Strategy {}\r\n",
    );
    const { code, stdout, stderr } = await commandIn(fixture.folder, ['strategy', 'list']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Marked  (0 parameters; feeds: bars)\n  strategies/marked.ts\n  Says so.\n');
    expect(stdout).not.toMatch(/broken|folder\.ts/);
  });
});
