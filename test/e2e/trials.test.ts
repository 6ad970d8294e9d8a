// Tests that trials are counted by market data: single runs and sets of sweeps together, repeats once, and families apart.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandInKeptThread } from '../fixtures/inProcess.ts';
import { SweepFixture } from '../fixtures/sweepFixture.ts';

const fixture = new SweepFixture(600);
afterAll(() => fixture.remove());
const isobar = (...args: readonly string[]) => commandInKeptThread(fixture.folder, args);

/** A second strategy, whose runs are trials of the same bars. */
const OTHER_STRATEGY = `import { Strategy } from 'isobar';
export default class Other extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy();
    else this.exit();
  }
}
`;
/** Runs a sweep over lengths of the fast average, and returns its counts of trials. */
const sweepOf = async (fast: string, ...options: readonly string[]) => {
  const { code, stdout, stderr } = await isobar('sweep', 'cross.yaml', '--grid', `fast=${fast}`, '--workers', '1', '--json', ...options);
  expect(code, stderr).toBe(0);
  const { trials } = JSON.parse(stdout) as { trials: Record<string, unknown> };
  return { trials, stderr };
};
const backtest = async (...args: readonly string[]) => {
  const { code, stderr } = await isobar('backtest', ...args, '--quiet', '--no-report');
  expect(code, stderr).toBe(0);
};

test('eight single runs and a sweep of two sets are ten trials, and a repeat adds no trial', async () => {
  for (let fast = 2; fast <= 8; fast++) await backtest('cross.yaml', '--set', `params.fast=${fast}`);
  fixture.write('other.ts', OTHER_STRATEGY);
  fixture.write('other.yaml', readFileSync(join(fixture.folder, 'cross.yaml'), 'utf8').replace('cross.ts', 'other.ts'));
  await backtest('other.yaml');
  // A repetition from a copy of the definition under another name.
  fixture.write('again.yaml', readFileSync(join(fixture.folder, 'cross.yaml'), 'utf8'));
  await backtest('again.yaml', '--set', 'params.fast=2');
  const { trials, stderr } = await sweepOf('9,10');
  expect(trials).toEqual({ family: null, count: 10, earlier: 8, all: 10 });
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    '10 on these bars without a family, 8 of them by earlier runs and sweeps; 10 with those of all families',
  );
});

test('a family counts for itself, and the report shows both counts', async () => {
  await backtest('cross.yaml', '--set', 'params.slow=40', '--family', 'slow ones');
  const { trials, stderr } = await sweepOf('11,12', '--set', 'params.slow=41', '--family', 'slow ones');
  expect(trials).toEqual({ family: 'slow ones', count: 3, earlier: 1, all: 13 });
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    '3 on these bars of the family slow ones, 1 of them by earlier runs and sweeps; 13 with those of all families',
  );
  const refused = await isobar('backtest', 'cross.yaml', '--family', '../x');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--family: expected a name')]);
});

test('runs on other bars are not trials of these, and --ledger names another folder', async () => {
  fixture.bars('ELSEUSDT', '1h', 600);
  await backtest('cross.yaml', '--set', 'feeds.bars.symbol=ELSEUSDT');
  expect((await sweepOf('9,10')).trials).toMatchObject({ count: 10, all: 13 });
  await backtest('cross.yaml', '--set', 'params.fast=15', '--ledger', 'mine');
  expect(
    readFileSync(join(fixture.folder, 'mine', 'runs.jsonl'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(1);
  expect((await sweepOf('9,10')).trials).toMatchObject({ count: 10, all: 13 });
});
