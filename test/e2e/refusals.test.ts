// Tests orders that risk denies in a backtest: the log has the first of each code with figures and counts the others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFixture } from '../fixtures/cliFixture.ts';

const fixture = new CliFixture();
const here = process.cwd();
beforeAll(() => {
  fixture.bars('BTCUSDT', '1h', 100);
  process.chdir(fixture.folder);
});
afterAll(() => {
  process.chdir(here);
  fixture.remove();
});

interface Line {
  readonly msg: string;
  readonly time?: string;
  readonly strategy?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Runs a strategy that places an order at each of its first forty bars. Returns the log lines about denied orders. */
async function refusalsOf(
  asks: string,
  runOptions: string,
): Promise<{ readonly lines: readonly Line[]; readonly counted: unknown; readonly codes: number }> {
  fixture.write(
    'asker.ts',
    `import { Strategy } from 'isobar';
export default class Asker extends Strategy {
  n = 0;
  override onBar() { if (this.n++ < 40) { ${asks} } }
}
`,
  );
  fixture.write(
    'run.yaml',
    `strategy: asker.ts\nfeeds: { bars: { symbol: BTCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n${runOptions}`,
  );
  const folder = await (await backtest({ definition: 'run.yaml' })).write('runs');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const records = read('run.log').trim().split('\n').map((line) => JSON.parse(line) as Line); // prettier-ignore
  const summary = JSON.parse(read('summary.json')) as { orders: { refusedByRiskByCode: unknown } };
  return {
    lines: records.filter(({ msg }) => msg.includes(': denied: ')),
    counted: summary.orders.refusedByRiskByCode,
    codes: read('orders.csv')
      .split('\n')
      .filter((row) => row.includes('denied')).length,
  };
}

test('the first ten of a code are reported as they were refused, and the log says where the others are', async () => {
  const { lines, counted, codes } = await refusalsOf("this.buy({ base: '3' }, { limit: 100 });", "risk: { maxOrderQty: '2' }\n");
  expect([lines.length, counted, codes]).toEqual([10, { QTY_MAX: 40 }, 40]);
  expect(lines[0]).toMatchObject({ strategy: 'Asker', fields: { order: 1, code: 'QTY_MAX' } });
  expect(lines[0]?.msg).toMatch(/^buy 3 BTC of BTCUSDT at 100: denied: 3 BTC, at most 2 BTC/);
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(lines.map(({ fields }) => fields?.['further'])).toEqual([...Array.from({ length: 9 }), 'counted in summary.json']);
});

const RULE = `import { riskRule } from 'isobar';
let asked = 0;
export default riskRule({ code: 'MY_RULE', check: () => 'asked ' + ++asked + ' times' });
`;

test('the log has ten lines of each code; an unsound order and a rule of the author are reported with their own text', async () => {
  fixture.write('rule.js', RULE);
  const asks = "this.buy({ base: this.n % 2 ? NaN : 1 }, { limit: 100 }); this.buy({ base: 1 }, { limit: NaN, tag: 'b' });";
  const { lines, counted } = await refusalsOf(asks, 'models: { risk: [rule.js] }\n');
  expect(counted).toEqual({ BAD_INPUT: 60, MY_RULE: 20 });
  const saying = (code: string) => lines.filter(({ fields }) => fields?.['code'] === code).map(({ msg }) => msg);
  expect([saying('BAD_INPUT').length, saying('MY_RULE').length]).toEqual([10, 10]);
  expect(saying('BAD_INPUT')[0]).toMatch(/^buy an invalid quantity of BTCUSDT at 100: denied: buy of unknown BTC at 100 USDT/);
  const message = saying('MY_RULE').map((words) => words.slice(words.indexOf('asked')));
  expect(message).toEqual(Array.from({ length: 10 }, (_, index) => `asked ${index + 1} times`));
});
