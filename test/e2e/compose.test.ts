// Tests modules of isobar/compose, by the command and in code: what they change, what the run folder records, and which are rejected.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { feeModel, riskRule, slippageModel } from 'isobar';
import { composeModule, feesOf, orderRuleOf, PARTS, passOn, slippageOf, type ComposeModule, type ExchangeSink } from 'isobar/compose';
import { backtest, type CodeOptions } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveRun } from '../../src/definition/resolve.ts';
import { readDefinition } from '../../src/definition/text/source.ts';
import { identityParts } from '../../src/tasks/trials/identityParts.ts';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { BASE, options } from '../fixtures/composeRuns.ts';
import { backtestIn, commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
const startFolder = process.cwd();
afterAll(() => {
  process.chdir(startFolder);
  fixture.remove();
});

const withModule = (module: ComposeModule, overrides: Partial<CodeOptions> = {}) =>
  backtest({ ...options, ...overrides, modules: [module] });

/** The result hash of a run without modules. */
let plainHash = '';
beforeAll(async () => {
  fixture.bars('BTCUSDT', '1h', 2000);
  process.chdir(fixture.folder);
  plainHash = (await backtest(options)).resultHash;
});

const MODELS = {
  slippage: "import { slippageModel } from 'isobar';\nexport default slippageModel(({ price }) => price * 0.0003);\n",
  fees: "import { feeModel } from 'isobar';\nexport default feeModel(({ turnover }) => (turnover > 12_000 ? 0.0002 : 0.0007));\n",
  rules: `import { riskRule } from 'isobar';
export default riskRule({ code: 'EVEN_DAYS', check: (order, { timeMs }) => (Math.floor(timeMs / 86_400_000) % 2 === 1 ? 'odd day' : null) });
`,
} as const;
const CONVERTERS = { slippage: 'slippageOf(model)', fees: 'feesOf(model)', rules: '[orderRuleOf(model)]' } as const;

describe('a module and a model', () => {
  test.each(['slippage', 'fees', 'rules'] as const)('a module gives the result of the same model under models: %s', async (part) => {
    fixture.write(`models/${part}.ts`, MODELS[part]);
    fixture.write(
      `modules/${part}.ts`,
      `import { composeModule, feesOf, orderRuleOf, PARTS, slippageOf } from 'isobar/compose';
import model from '../models/${part}.ts';
export default composeModule('own', ({ rebind }) => rebind(PARTS.${part}).to(() => ${CONVERTERS[part]}));
`,
    );
    const key = part === 'rules' ? 'risk: [models/rules.ts]' : `${part}: models/${part}.ts`;
    fixture.write('model.yaml', `${BASE}models: { ${key} }\n`);
    fixture.write('module.yaml', `${BASE}modules: [./modules/${part}.ts]\n`);
    const model = await backtest({ definition: 'model.yaml' });
    const module = await backtest({ definition: 'module.yaml' });
    expect(module.resultHash).toBe(model.resultHash);
    expect(module.record.warnings).toEqual(model.record.warnings);
    expect(module.resultHash).not.toBe(plainHash);
  });

  test('a module gives the result of the same model under models: from code as well', async () => {
    const twoModels = composeModule('own', ({ rebind }) => {
      rebind(PARTS.slippage).to(() => slippageOf(slippageModel(({ price }) => price * 0.0003)));
      rebind(PARTS.fees).to(() => feesOf(feeModel(({ turnover }) => (turnover > 12_000 ? 0.0002 : 0.0007))));
    });
    fixture.write('models.yaml', `${BASE}models: { slippage: models/slippage.ts, fees: models/fees.ts }\n`);
    expect((await withModule(twoModels)).resultHash).toBe((await backtest({ definition: 'models.yaml' })).resultHash);
  });

  test('a module with the same latency for each order gives the result of fills.latencyMs', async () => {
    const slow = composeModule('slow', ({ rebind }) => rebind(PARTS.latency).to(() => ({ ms: () => 5_400_000 })));
    const { resultHash } = await withModule(slow);
    expect(resultHash).toBe((await backtest({ ...options, fills: { latencyMs: 5_400_000 } })).resultHash);
    expect(resultHash).not.toBe(plainHash);
  });
});

describe('the run folder', () => {
  /** Writes a module in two files. Its slippage is `spread` times the price. */
  const writeModule = (spread: string): void => {
    fixture.write(
      'modules/spread.ts',
      `import { composeModule, PARTS, slippageOf } from 'isobar/compose';
import { worse } from './worse.ts';
export default composeModule('spread', ({ rebind }) => rebind(PARTS.slippage).to(() => slippageOf({ kind: 'slippage', worse })));
`,
    );
    fixture.write('modules/worse.ts', `export const worse = ({ price }: { readonly price: number }) => price * ${spread};\n`);
  };

  test('verify repeats a run by the module that the run folder names, and reports when that module has changed', async () => {
    writeModule('0.0002');
    fixture.write('run.yaml', `${BASE}modules: [./modules/spread.ts]\n`);
    const folder = await (await backtest({ definition: 'run.yaml' })).write('runs');
    const { models, inputs } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
      readonly models: readonly object[];
      readonly inputs: readonly { readonly file: string }[];
    };
    expect(models).toEqual([
      { use: 'module', file: './modules/spread.ts', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), inputs: ['worse.ts', 'spread.ts'] },
    ]);
    expect(inputs.map(({ file }) => basename(file))).toEqual(expect.arrayContaining(['spread.ts', 'worse.ts']));
    expect(readFileSync(join(folder, 'definition.yaml'), 'utf8')).toContain('modules: [ ./modules/spread.ts ]\n');
    const same = await commandIn(fixture.folder, ['verify', folder]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('identical')]);
    writeModule('0.0004');
    const again = await commandIn(fixture.folder, ['verify', folder]);
    expect([again.code, again.stdout + again.stderr]).toEqual([3, expect.stringContaining('modules/worse.ts changed')]);
  });

  test('the run folder of a run in code says that only the code can repeat it', async () => {
    const module = composeModule('inCode', ({ rebind }) => rebind(PARTS.slippage).to(() => ({ ticks: () => 1 })));
    const folder = await (await withModule(module)).write('runs');
    const manifestIn = (run: string) =>
      JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')) as {
        readonly origin: { readonly inCode: readonly string[] };
        readonly models: readonly { readonly file: string; readonly sha256: string }[];
      };
    const { origin, models } = manifestIn(folder);
    expect(origin.inCode).toEqual(['the module inCode']);
    const otherModule = composeModule('inCode', ({ rebind }) => rebind(PARTS.slippage).to(() => ({ ticks: () => 2 })));
    const again = manifestIn(await (await withModule(otherModule)).write('runs'));
    expect(models[0]?.file).toBe('inCode');
    expect(again.models[0]?.sha256).not.toBe(models[0]?.sha256);
  });
});

describe('parts of a backtest', () => {
  test('each part is passed to its wrapper, and a wrapper that changes nothing changes no result', async () => {
    const calls: string[] = [];
    const module = composeModule('watching', ({ rebind }) => {
      const recordPart = (name: string, part: object) => void calls.push(`${name} ${part.constructor.name}`);
      rebind(PARTS.exchange).wrap(
        (exchange, _, scheduler) => {
          recordPart('exchange', exchange);
          expect(scheduler.nextMs).toBe(Infinity);
          return passOn(exchange, {});
        },
        [PARTS.scheduler],
      );
      rebind(PARTS.barMarket).wrap((market) => (recordPart('barMarket', market!), passOn(market!, {})));
      rebind(PARTS.orders).wrap((orders) => (recordPart('orders', orders), orders));
      rebind(PARTS.risk).wrap(
        (risk, { plan }, rules) => {
          recordPart('risk', risk);
          expect([plan.name, rules]).toEqual(['smaCross', []]);
          return risk;
        },
        [PARTS.rules],
      );
      rebind(PARTS.strategies).wrap((strategies) => (recordPart('strategies', strategies), [...strategies]));
      rebind(PARTS.scheduler).wrap((scheduler) => (recordPart('scheduler', scheduler), scheduler));
      rebind(PARTS.engine).wrap((engine) => (recordPart('engine', engine), engine));
      rebind(PARTS.journal).wrap((journal) => (recordPart('journal', journal), passOn(journal, {})));
      rebind(PARTS.slippage).wrap((slippage) => ({ ticks: (...fill) => slippage.ticks(...fill) }));
      rebind(PARTS.latency).wrap((latency) => latency);
      rebind(PARTS.fees).wrap((fees) => (expect(fees).toBeNull(), fees));
      rebind(PARTS.clock).wrap((clock) => (recordPart('clock', clock), clock));
    });
    expect((await withModule(module)).resultHash).toBe(plainHash);
    expect(new Set(calls)).toEqual(
      new Set([
        'exchange ReplayExchange', 'orders OrderManager', 'risk RiskModule', 'strategies Array', 'scheduler DueQueue', 'engine Engine',
        'journal DenialLoggingJournal', 'clock LiveScheduler', 'barMarket ReplayExchange',
      ]),
    ); // prettier-ignore
  });

  test('an adapter that replaces the exchange gets the sink, and no market is simulated', async () => {
    const module = composeModule('closed', ({ rebind }) => {
      rebind(PARTS.exchange).to(() => {
        let sink: ExchangeSink;
        return {
          attach: (engine) => void (sink = engine),
          submit: (order) => sink.refused(order.id, 'CLOSED'),
          cancel() {},
          read() {},
        };
      });
    });
    const { orders, fills, equity } = await withModule(module);
    expect(orders.length).toBeGreaterThan(10);
    expect(new Set(orders.code)).toEqual(new Set(['CLOSED']));
    expect([fills.length, equity.equity.at(-1)]).toEqual([0, 10_000]);
  });

  test('the record has the strategy parameters that a module has changed', async () => {
    const module = composeModule('faster', ({ rebind }) =>
      rebind(PARTS.strategies).wrap((strategies) =>
        strategies.map((strategy) => ({
          ...strategy,
          params: { fast: 3, slow: 9 },
          record: { ...strategy.record, params: { fast: 3, slow: 9 } },
        })),
      ),
    );
    const result = await withModule(module);
    expect(result.record.strategies[0]?.params).toEqual({ fast: 3, slow: 9 });
    expect(result.resultHash).toBe((await backtest({ ...options, params: { fast: 3, slow: 9 } })).resultHash);
  });

  test('the rules of two modules and those of models: all check each order', async () => {
    const rule = (code: string, day: number) =>
      composeModule(code, ({ rebind }) =>
        rebind(PARTS.rules).to(() => [
          orderRuleOf(riskRule({ code, check: (_, order) => (new Date(order.timeMs).getUTCDay() === day ? 'no' : null) })),
        ]),
      );
    fixture.write(
      'models/sunday.ts',
      "import { riskRule } from 'isobar';\nexport default riskRule({ code: 'SUNDAY', check: (_, of) => (new Date(of.timeMs).getUTCDay() === 0 ? 'no' : null) });\n",
    );
    const { orders } = await backtest({
      ...options,
      models: { risk: ['models/sunday.ts'] },
      modules: [rule('MONDAY', 1), rule('TUESDAY', 2)],
    });
    expect(new Set(orders.code)).toEqual(new Set(['', 'SUNDAY', 'MONDAY', 'TUESDAY']));
  });
});

describe('an invalid module', () => {
  /** Runs a backtest with a module file of this text. */
  const runModuleFile = (body: string, head = "import { composeModule, PARTS } from 'isobar/compose';") => {
    fixture.write('modules/bad.ts', `${head}\n${body}\n`);
    fixture.write('bad.yaml', `${BASE}modules: [./modules/bad.ts]\n`);
    return backtestIn(fixture.folder, 'bad.yaml');
  };
  /** Runs a backtest with a module that executes `body`. */
  const runModule = (body: string) => runModuleFile(`export default composeModule('bad', ({ rebind }) => { ${body} });`);

  test.each([
    [
      'has no default export',
      () => runModuleFile('export const x = 1;'),
      /bad\.yaml:6 modules\.0: expected a file whose default export is made by composeModule, got none/,
    ],
    [
      'exports a strategy',
      () => runModuleFile(`export { default } from '${STRATEGIES}/smaCross.ts';`, ''),
      /modules\.0: expected a file whose default export is made by composeModule, got a function/,
    ],
    ['does not compile', () => runModuleFile('export default (', ''), /bad\.ts:3:1: Unexpected end of file/],
    [
      'imports a name that does not exist',
      () => runModuleFile('export default 1;', "import { composeModul } from 'isobar/compose'; composeModul;"),
      /isobar\/compose exports no 'composeModul', the nearest is composeModule/,
    ],
    [
      'rebinds a part twice',
      () => runModule('rebind(PARTS.fees).to(() => null); rebind(PARTS.fees).to(() => null);'),
      /bad\.yaml:6 modules\.0: the module bad: expected a part that nothing else rebinds, got fees, which the module bad rebinds already/,
    ],
    [
      'rebinds no part',
      () => runModule("rebind({ name: 'fee' }).to(() => null);"),
      /the module bad: expected a token of PARTS, got fee, the nearest is fees/,
    ],
    [
      'wraps the rules',
      () => runModule('rebind(PARTS.rules).wrap((rules) => []);'),
      /modules\.0: the module bad: expected an addition to rules, got a wrapper of it/,
    ],
    ['has no factory', () => runModule('rebind(PARTS.fees).to(null);'), /the module bad: expected a factory of fees, got a object/],
    [
      'throws',
      () => runModule("rebind(PARTS.journal).wrap(() => { throw new Error('no disk'); });"),
      /modules\.0: the module bad: its factory of journal threw: no disk/,
    ],
    [
      'returns a promise',
      () => runModule('rebind(PARTS.slippage).to(async () => ({ ticks: () => 1 }));'),
      /modules\.0: the module bad: expected slippage with the method ticks, got a promise: models are synchronous/,
    ],
    [
      'makes a journal without a method',
      () => runModule('rebind(PARTS.journal).wrap((journal) => ({ ...journal }));'),
      /the module bad: expected journal with the method denied, got an object/,
    ],
    [
      'makes a market without a method',
      () => runModule('rebind(PARTS.barMarket).wrap(() => ({ workingOrders: () => 0 }));'),
      /the module bad: expected barMarket with the method matchRow, got an object/,
    ],
    [
      'makes rules without their members',
      () => runModule("rebind(PARTS.rules).to(() => [{ code: 'ONE_RULE' }]);"),
      /the module bad: expected a list of rules, each with kind, code, check and detail, got an object/,
    ],
    [
      'has a rule with a code that is taken',
      () =>
        runModule(
          "rebind(PARTS.rules).to(() => [{ kind: 'order', code: 'MARGIN', keys: [], needs: [], check: () => true, detail: () => '' }]);",
        ),
      /modules\.0: the module bad: expected a code of 3 to 32 capitals.*got MARGIN, which another rule has/,
    ],
    [
      'needs parts in a circle',
      () => runModule('rebind(PARTS.exchange).wrap((exchange) => exchange, [PARTS.engine]);'),
      /modules: Circular dependency found: .*engine.*exchange/,
    ],
    [
      'drops a strategy',
      () => runModule('rebind(PARTS.strategies).to(() => []);'),
      /modules: expected a factory of strategies that returns 1, got 0/,
    ],
    [
      'has a clock with needs',
      () => runModule('rebind(PARTS.clock).wrap((clock) => clock, [PARTS.risk]);'),
      /the module bad: expected a factory of clock that needs no other part, got one that needs risk/,
    ],
    ['has a negative latency', () => runModule('rebind(PARTS.latency).to(() => ({ ms: () => -1 }));'), /the latency model answers -1/],
  ] as const)('a module that %s is rejected with its place and a remedy', async (_, run, message) => {
    const { code, stderr } = await run();
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\n {2}\S/);
    expect(code).toBeGreaterThan(0);
  });

  test('a path without a file is reported with its line in the list', async () => {
    fixture.write('bad.yaml', `${BASE}modules:\n  - ./modules/none.ts\n`);
    const { code, stderr } = await backtestIn(fixture.folder, 'bad.yaml');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^bad\.yaml:7 modules\.0: expected a module file, got '\.\/modules\/none\.ts', which does not exist/),
    ]);
  });

  test.each([
    ['models: { slippage: models/slippage.ts }', 'models.slippage'],
    ["fills: { slippage: '0.001' }", 'fills.slippage'],
  ])('a module that rebinds slippage is rejected beside %s', async (addedLines, name) => {
    fixture.write('models/slippage.ts', MODELS.slippage);
    fixture.write(
      'modules/tick.ts',
      "import { composeModule, PARTS } from 'isobar/compose';\nexport default composeModule('tick', ({ rebind }) => rebind(PARTS.slippage).to(() => ({ ticks: () => 1 })));\n",
    );
    fixture.write('bad.yaml', `${BASE}${addedLines}\nmodules: [modules/tick.ts]\n`);
    const { code, stderr } = await backtestIn(fixture.folder, 'bad.yaml');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`the module tick: expected a part that nothing else rebinds, got slippage, which ${name} rebinds already`),
    ]);
  });

  test('two modules that rebind one part are reported by name', async () => {
    const tick = (name: string) => composeModule(name, ({ rebind }) => rebind(PARTS.slippage).to(() => ({ ticks: () => 1 })));
    await expect(backtest({ ...options, modules: [tick('one'), tick('two')] })).rejects.toThrow(
      'backtest options modules.1: the module two: expected a part that nothing else rebinds, got slippage, which the module one rebinds already',
    );
  });

  test('a value that is not a module is reported by its place', async () => {
    await expect(backtest({ ...options, modules: [{} as never] })).rejects.toThrow('modules.0: expected the path of a module file, got {}');
    expect(() => composeModule('no name', () => {})).toThrow('composeModule: expected a name of 1 to 80 letters');
  });
});

test('a sweep runs each set with the modules, and a module that has changed makes another trial', async () => {
  const writeTicks = (ticks: number) =>
    fixture.write(
      'modules/ticks.ts',
      `import { composeModule, PARTS } from 'isobar/compose';\nexport default composeModule('ticks', ({ rebind }) => rebind(PARTS.slippage).to(() => ({ ticks: () => ${ticks} })));\n`,
    );
  fixture.write('sweep.yaml', `${BASE}modules: [modules/ticks.ts]\n`);
  writeTicks(300);
  const { code, stdout } = await commandIn(fixture.folder, ['sweep', 'sweep.yaml', '--grid', 'fast=5,10', '--json']);
  expect(code).toBe(0);
  const { best } = JSON.parse(stdout) as {
    readonly best: readonly { readonly params: object; readonly figures: Readonly<Record<string, number>> }[];
  };
  expect(best).toHaveLength(2);
  for (const { params, figures } of best) {
    const [[name, value] = ['', 0]] = Object.entries(params) as [string, number][];
    const { metrics } = await backtest({ definition: 'sweep.yaml', set: [`params.${name}=${value}`] });
    expect(figures['totalReturn']).toBeCloseTo(metrics.totalReturn!, 10);
    expect(metrics.totalReturn!).toBeLessThan((await backtest({ ...options, params: { [name]: value } })).metrics.totalReturn!);
  }
  const currentParts = async () => identityParts(await resolveRun(readDefinition('sweep.yaml')));
  const before = await currentParts();
  writeTicks(301);
  const after = await currentParts();
  expect(before.filter((part, index) => part.value !== after[index]?.value).map(({ name }) => name)).toEqual(['modules/ticks.ts']);
});
