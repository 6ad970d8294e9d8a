// Tests models that an author writes (slippage, fees, risk rules): their effect on a run, and the errors of invalid models.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { backtestIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
afterAll(() => fixture.remove());

const BASE = `strategy: ${STRATEGIES}/smaCross.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1h } }
cash: { USDT: '10000' }
size: { quote: '5000' }
fees: { maker: '0.001', taker: '0.001', in: quote }
`;

/** A row of a CSV file, by the name of the column. */
interface CsvRow {
  readonly [column: string]: string;
}

/** Returns the rows of a CSV file of a run. */
function csvRows(runName: string, file: string): CsvRow[] {
  const [head = '', ...lines] = readFileSync(join(fixture.folder, 'runs', runName, file), 'utf8')
    .trim()
    .split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, column) => [names[column] ?? '', cell])));
}

/** Writes run.yaml with these models. `feeRate` is the rate of maker and taker, which no fee model may exceed. */
const writeDefinition = (models: string, feeRate = '0.001') =>
  fixture.write('run.yaml', `${BASE.replaceAll("'0.001'", `'${feeRate}'`)}${models}`);

/** Runs the definition and returns the name of its folder. */
async function runWith(models: string, feeRate?: string): Promise<string> {
  writeDefinition(models, feeRate);
  return basename(await (await backtest({ definition: 'run.yaml' })).write('runs'));
}

/** The first lines of a file that exports a model by default. */
const MODEL_IMPORTS = `import { feeModel, riskRule, slippageModel } from 'isobar';
import SmaCross from '${STRATEGIES}/smaCross.ts';`;

const startFolder = process.cwd();
/** The name of a run without models. */
let plainRun = '';
beforeAll(async () => {
  fixture.bars('BTCUSDT', '1h', 2000);
  process.chdir(fixture.folder);
  plainRun = await runWith('');
});
afterAll(() => process.chdir(startFolder));

describe('models of a definition', () => {
  test('a slippage model worsens taker fills by its amount, rounded up to the tick', async () => {
    fixture.write('models/slip.ts', "import { slippageModel } from 'isobar';\nexport default slippageModel(() => 0.011);\n");
    const name = await runWith('models: { slippage: models/slip.ts }\n');
    const plainFills = csvRows(plainRun, 'fills.csv');
    const fills = csvRows(name, 'fills.csv');
    expect(plainFills.length).toBeGreaterThan(10);
    const priceChanges = fills.map((row, index) => Number(row['price']) - Number(plainFills[index]?.['price']));
    // The first two fills have the same decisions in both runs: the buy pays two ticks more, the sell gets two less.
    expect(priceChanges[0]).toBeCloseTo(0.02, 8);
    expect(priceChanges[1]).toBeCloseTo(-0.02, 8);
  });

  test('a slippage model gets the bar in which the order fills, and the share of its volume', async () => {
    const text = `import { slippageModel } from 'isobar';
export default slippageModel(({ price, qty, bar, share }) => {
  if (price < bar.low || price > bar.high || bar.open > bar.high || bar.close < bar.low || Math.abs(qty - share * bar.volume) > 1e-9) return NaN;
  return (bar.high - bar.low) * Math.sqrt(share);
});
`;
    fixture.write('models/share.ts', text);
    writeDefinition('models: { slippage: models/share.ts }\n');
    const { record } = await backtest({ definition: 'run.yaml' });
    const { bars } = record.feeds[0]!;
    let saleCount = 0;
    for (let fillIndex = 0; fillIndex < record.fills.length; fillIndex++) {
      // A market buy is by amount, so its fill does not show the quantity at the quoted price.
      if (record.fills.side[fillIndex] === 0) continue;
      const row = bars.openMs.indexOf(record.fills.timeMs[fillIndex]!);
      const { open, high, low, volume } = bars;
      const share = record.fills.lots[fillIndex]! / 10 ** bars.instrument.quantityDigits / volume[row]!;
      const exactPrice = open[row]! - (high[row]! - low[row]!) * Math.sqrt(share);
      // The price of a sale is rounded down to the tick. The small term repairs errors of binary floating point.
      const expectedPrice = Math.floor(exactPrice * 100 + 1e-6) / 100;
      expect(record.fills.price[fillIndex]! / 10 ** bars.instrument.priceDigits).toBeCloseTo(expectedPrice, 8);
      saleCount++;
    }
    expect(saleCount).toBeGreaterThan(5);
  });

  test('fills.impact is added to a slippage model, and to a module that wraps slippage without the bar argument', async () => {
    fixture.write('models/slip.ts', "import { slippageModel } from 'isobar';\nexport default slippageModel(() => 0.011);\n");
    fixture.write(
      'modules/twice.ts',
      `import { composeModule, PARTS } from 'isobar/compose';
export default composeModule('twice', ({ rebind }) => {
  rebind(PARTS.slippage).wrap((slippage) => ({ ticks: (instrument, side, price, lots) => 2 * slippage.ticks(instrument, side, price, lots) }));
});
`,
    );
    const firstPrice = async (modelText: string) => Number(csvRows(await runWith(modelText), 'fills.csv')[0]?.['price']);
    const impactText = "fills: { impact: { coefficient: '0.5' } }\n";
    const impactOfFirst = (await firstPrice(impactText)) - (await firstPrice(''));
    expect(impactOfFirst).toBeGreaterThan(0);
    const priceWithModel = await firstPrice(`models: { slippage: models/slip.ts }\n${impactText}`);
    expect(priceWithModel - (await firstPrice(''))).toBeCloseTo(impactOfFirst + 0.02, 8);
    const wrappedSlippage = `modules: [modules/twice.ts]\n${impactText.replace('{ impact', '{ slippageTicks: 3, impact')}`;
    expect((await firstPrice(wrappedSlippage)) - (await firstPrice(''))).toBeCloseTo(impactOfFirst + 0.06, 8);
  });

  test.each([
    ["{ coefficient: '-1' }", /run\.yaml:6 fills\.impact\.coefficient: expected a quoted decimal/],
    ['{ coefficient: 1 }', /fills\.impact\.coefficient: expected a quoted decimal .*, got 1/],
    ["{ coeficient: '1' }", /coeficient/],
    ["'1'", /fills\.impact: expected market impact, such as \{ coefficient: '1' \}/],
  ])('fills.impact: %s is rejected with its key', async (value, message) => {
    writeDefinition(`fills: { impact: ${value} }\n`);
    const { code, stderr } = await backtestIn(fixture.folder, 'run.yaml');
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  test.each([
    ['lowers', 0.0007, 0.0002, '0.001'],
    ['raises', 0.0007, 0.0025, '0.003'],
  ])('a fee model that %s the rate by turnover sets the rate of each fill', async (_, firstRate, laterRate, feeRate) => {
    const model = `import { feeModel } from 'isobar';\nexport default feeModel(({ turnover }) => (turnover > 12_000 ? ${laterRate} : ${firstRate}));\n`;
    fixture.write('models/fee.ts', model);
    const fills = csvRows(await runWith('models: { fees: models/fee.ts }\n', feeRate), 'fills.csv');
    let turnover = 0;
    for (const row of fills) {
      const notional = Number(row['price']) * Number(row['quantity']);
      expect(Number(row['fee'])).toBeCloseTo(notional * (turnover > 12_000 ? laterRate : firstRate), 5);
      turnover += notional;
    }
    expect(turnover).toBeGreaterThan(50_000);
  });

  test('a risk rule denies orders with its code, and summary and manifest name it', async () => {
    const rule = `import { riskRule } from 'isobar';
export default riskRule({ code: 'EVEN_DAYS', check: (order, { timeMs }) => (Math.floor(timeMs / 86_400_000) % 2 === 1 ? 'odd day' : null) });
`;
    fixture.write('models/rule.ts', rule);
    writeDefinition('models: { risk: [models/rule.ts] }\n');
    const { code, stdout, stderr } = await fixture.run('backtest', 'run.yaml', '--quiet');
    expect([code, stderr]).toEqual([0, '']);
    const name = basename(stdout.trim());
    const orders = csvRows(name, 'orders.csv');
    const denied = orders.filter((row) => row['code'] === 'EVEN_DAYS');
    expect(denied.length).toBeGreaterThan(5);
    expect(new Set(denied.map((row) => row['side']))).toEqual(new Set(['buy']));
    const manifest = JSON.parse(readFileSync(join(fixture.folder, 'runs', name, 'manifest.json'), 'utf8')) as { models: readonly object[] };
    expect(manifest.models).toEqual([
      { use: 'risk', file: 'models/rule.ts', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), inputs: ['rule.ts'] },
    ]);
    expect(readFileSync(join(fixture.folder, 'runs', name, 'summary.json'), 'utf8')).toContain('EVEN_DAYS');
  });

  test.each([
    ['a strategy in the place of a model', 'slippage', 'SmaCross', /bad\.ts: expected a slippage model as default export, got a function/],
    ['another kind of model', 'fees', 'slippageModel(() => 0)', /expected a fee model as default export, got a slippage model/],
    ['a file that does not compile', 'slippage', '(', /bad\.ts:3:1\d: Unexpected ";"/],
    ['a slippage that is not a number', 'slippage', 'slippageModel(() => NaN)', /the slippage model returned NaN, at /],
    ['a fee above its bound', 'fees', 'feeModel(() => 0.002)', /the fee model returned 0\.002 for a taker, whose rate is at most 0\.001, at /],
    ['a fee that is text', 'fees', "feeModel(() => '0.0001' as never)", /the fee model returned '0\.0001', at .*\n {2}return the rate/],
    ['a slippage model that throws', 'slippage', "slippageModel(() => { throw new Error('no book'); })", /^the slippage model threw: no book, at /],
    ['a fee model that throws', 'fees', "feeModel(() => { throw new Error('no tier'); })", /^the fee model threw: no tier, at /],
    ['a rule that throws', 'risk', "riskRule({ code: 'ODD_TWO', check: () => { throw new Error('no day'); } })", /^the risk rule ODD_TWO threw: no day, at /],
    ['a rule with a short code', 'risk', "riskRule({ code: 'X', check: () => null })", /expected a code of 3 to 32 capitals.*got 'X'/],
    ['a rule with a code that is taken', 'risk', "riskRule({ code: 'MARGIN', check: () => null })", /run\.yaml:6 models\.risk\.0: expected a code .* got MARGIN, which another rule has/],
    ['a rule with a code of futures', 'risk', "riskRule({ code: 'TIER', check: () => null })", /models\.risk\.0: expected a code .* got TIER, which another rule has/],
    ['a rule with a code of the order manager', 'risk', "riskRule({ code: 'SLOT_BUSY', check: () => null })", /got SLOT_BUSY, which another rule has/],
    ['a rule that returns true', 'risk', "riskRule({ code: 'ODD_ONE', check: () => true as never })", /the risk rule ODD_ONE returned neither null nor a text but true, at /],
    ['a slippage beyond all ticks', 'slippage', 'slippageModel(() => 1e308)', /^the slippage model returned 1e\+308, at /],
    ['a slippage beyond all prices', 'slippage', 'slippageModel(() => 1e15)', /^the slippage model returned 1000000000000000, at /],
    ['a slippage that is an object without text', 'slippage', 'slippageModel(() => Object.create(null) as never)', /^the slippage model returned an object, at /],
    ['a slippage model that throws an object without text', 'slippage', 'slippageModel(() => { throw Object.create(null); })', /^the slippage model threw: a value of type object that has no text, at /],
    ['a negative fee that rounds to zero', 'fees', 'feeModel(() => -1e-9)', /^the fee model returned -1e-9, at /],
    ['a fee model that is asynchronous', 'fees', 'feeModel((async () => 0) as never)', /^the fee model returned a promise: models are synchronous, at /],
    ['a rule that is asynchronous', 'risk', "riskRule({ code: 'ODD_ONE', check: (async () => null) as never })", /the risk rule ODD_ONE returned neither null nor a text but a promise: models are synchronous, at /],
    ['a rule with the code of invalid orders', 'risk', "riskRule({ code: 'BAD_INPUT', check: () => null })", /got BAD_INPUT, which another rule has/],
    ['a rule whose reductionsToo is false in quotes', 'risk', "riskRule({ code: 'ODD_ONE', check: () => null, reductionsToo: 'false' as never })", /run\.yaml:6 models\.risk\.0: reductionsToo of the risk rule ODD_ONE: expected true or false, got 'false'/],
    ['a rule whose reductionsToo is a number', 'risk', "riskRule({ code: 'ODD_ONE', check: () => null, reductionsToo: 1 as never })", /reductionsToo of the risk rule ODD_ONE: expected true or false, got 1\n {2}write reductionsToo: true/],
    ['a rule without a check', 'risk', "riskRule({ code: 'ODD_ONE' } as never)", /expected a risk rule as default export, got one whose check is not a function/],
  ])('a definition with %s ends the run with an error, and nothing is written', async (_model, kind, modelExpression, message) => {
    const runsBefore = fixture.runs().length;
    fixture.write('models/bad.ts', `${MODEL_IMPORTS}\nexport default ${modelExpression};\n`);
    writeDefinition(`models: { ${kind}: ${kind === 'risk' ? '[models/bad.ts]' : 'models/bad.ts'} }\n`);
    const outputs = [await backtestIn(fixture.folder, 'run.yaml')];
    if (kind === 'fees') outputs.push(await fixture.run('backtest', 'run.yaml', '--quiet'));
    for (const { code, stderr } of outputs) {
      expect(stderr).toMatch(message);
      expect(code).not.toBe(0);
    }
    expect(fixture.runs().length).toBe(runsBefore);
  }); // prettier-ignore
});
