// Tests orders that risk denies in a backtest: the log has the first of each code with figures and counts the others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFixture } from '../fixtures/cliFixture.ts';

const fixture = new CliFixture();
const startFolder = process.cwd();
beforeAll(() => {
  fixture.bars('BTCUSDT', '1h', 100);
  process.chdir(fixture.folder);
});
afterAll(() => {
  process.chdir(startFolder);
  fixture.remove();
});

/** One line of the log of a run. */
interface LogLine {
  readonly msg: string;
  readonly time?: string;
  readonly strategy?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What a run folder says about denied orders. */
interface DeniedOrders {
  /** The lines of run.log about them. */
  readonly lines: readonly LogLine[];
  /** Their number by deny code, from summary.json. */
  readonly countByCode: unknown;
  /** The number of their rows in orders.csv. */
  readonly deniedRows: number;
}

/** Runs a strategy that makes `orderCalls` at each of its first forty bars. Returns what the run folder says about denied orders. */
async function deniedOrdersOf(orderCalls: string, runKeys: string): Promise<DeniedOrders> {
  fixture.write(
    'greedy.ts',
    `import { Strategy } from 'isobar';
export default class Greedy extends Strategy {
  n = 0;
  override onBar() { if (this.n++ < 40) { ${orderCalls} } }
}
`,
  );
  fixture.write('run.yaml', `strategy: greedy.ts\nfeeds: { bars: { symbol: BTCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n${runKeys}`);
  const folder = await (await backtest({ definition: 'run.yaml' })).write('runs');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const records = read('run.log')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
  const summary = JSON.parse(read('summary.json')) as { orders: { refusedByRiskByCode: unknown } };
  return {
    lines: records.filter(({ msg }) => msg.includes(': denied: ')),
    countByCode: summary.orders.refusedByRiskByCode,
    deniedRows: read('orders.csv')
      .split('\n')
      .filter((row) => row.includes('denied')).length,
  };
}

test('the log has the first ten denials of a code, and its last line says where the others are counted', async () => {
  const { lines, countByCode, deniedRows } = await deniedOrdersOf(
    "this.buy({ base: '3' }, { limit: 100 });",
    "risk: { maxOrderQty: '2' }\n",
  );
  expect(lines).toHaveLength(10);
  expect(countByCode).toEqual({ QTY_MAX: 40 });
  expect(deniedRows).toBe(40);
  expect(lines[0]).toMatchObject({ strategy: 'Greedy', fields: { order: 1, code: 'QTY_MAX' } });
  expect(lines[0]?.msg).toMatch(/^buy 3 BTC of BTCUSDT at 100: denied: 3 BTC, at most 2 BTC/);
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(lines.map(({ fields }) => fields?.['further'])).toEqual([...Array.from({ length: 9 }), 'counted in summary.json']);
});

/** A rule that denies every order, and says how often it was asked. */
const RULE = `import { riskRule } from 'isobar';
let asked = 0;
export default riskRule({ code: 'MY_RULE', check: () => 'asked ' + ++asked + ' times' });
`;

test("the log has ten lines of each code, with the text of the order or of the author's rule", async () => {
  fixture.write('rule.js', RULE);
  const orderCalls = "this.buy({ base: this.n % 2 ? NaN : 1 }, { limit: 100 }); this.buy({ base: 1 }, { limit: NaN, tag: 'b' });";
  const { lines, countByCode } = await deniedOrdersOf(orderCalls, 'models: { risk: [rule.js] }\n');
  expect(countByCode).toEqual({ BAD_INPUT: 60, MY_RULE: 20 });
  const messagesOf = (code: string) => lines.filter(({ fields }) => fields?.['code'] === code).map(({ msg }) => msg);
  expect(messagesOf('BAD_INPUT')).toHaveLength(10);
  expect(messagesOf('MY_RULE')).toHaveLength(10);
  expect(messagesOf('BAD_INPUT')[0]).toMatch(/^buy an invalid quantity of BTCUSDT at 100: denied: buy of unknown BTC at 100 USDT/);
  const ruleTexts = messagesOf('MY_RULE').map((message) => message.slice(message.indexOf('asked')));
  expect(ruleTexts).toEqual(Array.from({ length: 10 }, (_, index) => `asked ${index + 1} times`));
});
