// Lists one addition of each kind in CONTRIBUTING.md as edits of the sources, which contributing.test.ts applies to a copy.

/** A text that occurs once in a file, and its replacement. */
type Replacement = readonly [from: string, to: string];

/** One addition: what is edited, and which files must change with it. */
export interface Addition {
  /** A name that occurs in no file before. Generated files that contain it afterwards were changed by this addition. */
  readonly marker: string;
  /** By path: the replacements in a file, or the text of a new file. */
  readonly edits: Readonly<Record<string, string | readonly Replacement[]>>;
  /** Tests that must pass after the addition: those that the edits extend, and those that read the added code. */
  readonly tests: readonly string[];
  /** The text of a test that uses the addition as a user would. */
  readonly usageTest: string;
}

const endpoint: Addition = {
  marker: 'markPrice',
  edits: {
    'src/protocol/endpoints/futuresEndpoints.ts': [
      ['  indexPriceAnswer,\n', '  indexPriceAnswer,\n  markPriceAnswer,\n'],
      [
        "  'futures.klines': endpoint({",
        `  'futures.markPrice': endpoint({
    ...publicRead,
    path: '/fapi/v1/markPrice',
    help: 'mark price alone',
    params: { contractName: contractNameParam('required') },
    answer: markPriceAnswer,
  }),
  'futures.klines': endpoint({`,
      ],
    ],
    'src/protocol/shapes/market.ts': [
      [
        '/** `tagPrice` is the mark price. Both rates are forecasts, not payments. */',
        `export const markPriceAnswer = recordAnswer(wireRecord({ tagPrice: required(wirePrice) }), '{tagPrice}');

/** \`tagPrice\` is the mark price. Both rates are forecasts, not payments. */`,
      ],
    ],
    'src/paperExchange/handlers/futuresPublic.ts': [
      ['  indexPriceAnswer,\n', '  indexPriceAnswer,\n  markPriceAnswer,\n'],
      [
        "    'futures.klines': publicHandler(",
        `    'futures.markPrice': publicHandler(({ args }) => {
      const instrument = instrumentArg(args);
      return succeeded(encodeAnswer(markPriceAnswer, { tagPrice: wirePriceText(instrument, exchange.venue.book(instrument).markTicks) }, profile));
    }),
    'futures.klines': publicHandler(`,
      ],
    ],
    'docs/protocol.md': [
      [
        '| `futures.klines` | GET',
        '| `futures.markPrice` | GET /fapi/v1/markPrice | NONE | contractName |  | yes |\n| `futures.klines` | GET',
      ],
    ],
    'test/protocol/expectedRequests.ts': [
      [
        "  {\n    ...GET,\n    op: 'futures.klines',",
        `  {
    ...GET,
    op: 'futures.markPrice',
    args: E_BTC,
    target: '/fapi/v1/markPrice?contractName=E-BTC-USDT',
    security: 'NONE',
    params: 'contractName name!',
  },
  {\n    ...GET,\n    op: 'futures.klines',`,
      ],
    ],
    'test/protocol/documentedFuturesAnswers.ts': [
      [
        "  'futures.klines': [",
        `  'futures.markPrice': [answer('dialect', '{"tagPrice":84167.7}', { tagPrice: '84167.7' })],\n  'futures.klines': [`,
      ],
    ],
    'test/blackbox/futuresTable.ts': [
      [
        "  {\n    ...publicRead,\n    op: 'futures.klines',",
        `  {
    ...publicRead,
    op: 'futures.markPrice',
    path: '/fapi/v1/markPrice',
    params: oneContract,
    validArgs: () => ({ contractName }),
    shape: members({ tagPrice: num }),
  },
  {\n    ...publicRead,\n    op: 'futures.klines',`,
      ],
    ],
    'test/blackbox/unreachable.yaml': [['    - futures.indexPrice\n', '    - futures.indexPrice\n    - futures.markPrice\n']],
    'test/service/futuresEndpoints.test.ts': [
      [
        "  {\n    op: 'futures.klines',",
        "  { op: 'futures.markPrice', target: `/fapi/v1/markPrice?${AT}`, answer: '{\"tagPrice\":900.5}' },\n  {\n    op: 'futures.klines',",
      ],
    ],
    'test/service/futuresParameters.test.ts': [
      [
        "  'futures.klines': { contractName, interval",
        "  'futures.markPrice': { contractName },\n  'futures.klines': { contractName, interval",
      ],
      [
        "  'futures.klines': {\n    contractName: NAME_FAULTS,",
        "  'futures.markPrice': { contractName: NAME_FAULTS },\n  'futures.klines': {\n    contractName: NAME_FAULTS,",
      ],
    ],
  },
  tests: [
    'test/protocol/requests.test.ts',
    'test/protocol/answers.test.ts',
    'test/protocol/page.test.ts',
    'test/service/futuresEndpoints.test.ts',
    'test/service/futuresParameters.test.ts',
  ],
  usageTest: `import { expect, it } from 'vitest';
import { openApi } from '../../src/protocol/openapi/openApi.ts';
import { OPS } from '../../src/protocol/endpoints/endpoints.ts';

it('the table and the OpenAPI document have the endpoint', () => {
  expect(OPS).toContain('futures.markPrice');
  expect(JSON.stringify(openApi())).toContain('/fapi/v1/markPrice');
});
`,
};

const indicator: Addition = {
  marker: 'netChange',
  edits: {
    'src/indicators/momentum.ts': [
      [
        '/** Returns the rate of change over one bar, in percent, of an exponential',
        `/** Returns the change over \`bars\` bars, in the unit of the source. */
export function netChange(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('netChange', 'bars', bars, 1);
  return seriesSpec({
    name: 'netChange',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new NetChange(wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Returns the rate of change over one bar, in percent, of an exponential`,
      ],
      [
        '/** Computes the rate of change. */\nclass RateOfChange implements Kernel {',
        `/** Computes the change over a number of bars. */
class NetChange implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      values[row - base] = row < bars ? NaN : sourceValues[row - sourceBase]! - sourceValues[row - bars - sourceBase]!;
    }
  }
}

/** Computes the rate of change. */
class RateOfChange implements Kernel {`,
      ],
    ],
    'src/index.ts': [['export { cci, kst, roc,', 'export { cci, kst, netChange, roc,']],
    'src/indicators/kernels.test.ts': [
      ["import { cci, kst, roc, trix } from './momentum.ts';", "import { cci, kst, netChange, roc, trix } from './momentum.ts';"],
      [
        '  roc: (feed) => roc(feed.close, 12),\n',
        '  roc: (feed) => roc(feed.close, 12),\n  netChange: (feed) => netChange(feed.close, 5),\n',
      ],
      [
        "  it('rsi of a flat market is 50,",
        `  it('the net change is the difference from the value some bars ago', () => {
    expect(values(barsAt([1, 2, 4, 7, 6]), (feed) => netChange(feed.close, 2))).toEqual([NaN, NaN, 3, 5, 2]);
  });

  it('rsi of a flat market is 50,`,
      ],
    ],
    'src/indicators/oracle.test.ts': [
      ["import { cci, roc } from './momentum.ts';", "import { cci, netChange, roc } from './momentum.ts';"],
      [
        '    expectAtSamples(\n      valuesOfOne((feed) => roc(feed.close, 12)),',
        '    expectAtSamples(\n      valuesOfOne((feed) => netChange(feed.close, 12)),\n      (row) => close(row).minus(close(row - 12)),\n    );\n    expectAtSamples(\n      valuesOfOne((feed) => roc(feed.close, 12)),',
      ],
    ],
    'docs/indicators.md': [
      ['| `trix(x, n = 18)` |', '| `netChange(x, n)` | x - x of n bars ago | textbook | n + 1 | series |\n| `trix(x, n = 18)` |'],
    ],
  },
  tests: ['src/indicators/kernels.test.ts'],
  usageTest: `import { expect, it } from 'vitest';
import { netChange, Strategy } from '../../src/index.ts';
import { backtest, generateBars } from '../../src/run.ts';

it('a strategy reads the indicator in a run', async () => {
  const data = generateBars({ symbol: 'TESTUSDT', interval: '1h', bars: 50, seed: 1 });
  const changes: number[] = [];
  class Reader extends Strategy {
    change = this.use(netChange(this.bars.close, 3));
    override onBar() {
      changes.push(this.change.value);
    }
  }
  await backtest({ strategy: Reader, data, cash: '10000' });
  expect(changes.length).toBeGreaterThan(40);
  expect(changes.at(-1)).toBeCloseTo(data.close[49]! - data.close[46]!, 6);
});
`,
};

const riskRule: Addition = {
  marker: 'minOrderNotional',
  edits: {
    'src/risk/limits/limits.ts': [
      [
        "  { key: 'maxPositionQty',",
        `  {
    key: 'minOrderNotional',
    kind: 'decimal',
    unit: 'quote asset',
    code: 'NOTIONAL_MIN',
    help: 'smallest worst-case notional of one order',
    isMinimum: true,
  },
  { key: 'maxPositionQty',`,
      ],
    ],
    'src/risk/limits/resolve.ts': [
      [
        '  readonly orderUnits: Float64Array;\n',
        '  readonly orderUnits: Float64Array;\n  /** Smallest order in quote units; 0 where the limit is not set. */\n  readonly minUnits: Float64Array;\n',
      ],
      [
        "    positionBase: perInstrument('maxPositionQty'",
        `    minUnits: Float64Array.from(instruments, (of) =>
      limits.minOrderNotional === undefined ? 0 : scaleLimit(limits, 'minOrderNotional', of.quoteDigits),
    ),
    positionBase: perInstrument('maxPositionQty'`,
      ],
    ],
    'src/risk/rules/sizeRules.ts': [
      [
        '/** Denies a limit on the taking side too far beyond',
        `export const notionalMinRule: OrderRule = {
  kind: 'order',
  code: 'NOTIONAL_MIN',
  keys: ['minOrderNotional'],
  needs: ['marks'],
  check: (order, { limits }) => order.worstUnits >= limits.minUnits[order.instrumentIndex]!,
  detail: ({ worstUnits, instrumentIndex }, { limits, ledger }) =>
    \`\${limitMoneyText(worstUnits, ledger)}, at least \${limitMoneyText(limits.minUnits[instrumentIndex]!, ledger)}\`,
};

/** Denies a limit on the taking side too far beyond`,
      ],
    ],
    'src/risk/rules.ts': [['  size.notionalMaxRule,\n', '  size.notionalMaxRule,\n  size.notionalMinRule,\n']],
    'src/risk/rules.test.ts': [
      [
        "test('every limit belongs to a rule with its code,",
        `test('an order below the smallest notional is denied, one at it passes', () => {
  const fixture = new RiskFixture({ minOrderNotional: '0.3' });
  expect(fixture.code({ lots: 2, limit: 10_000 })).toBe('NOTIONAL_MIN');
  expect(fixture.code({ lots: 3, limit: 10_000 })).toBe(null);
});

test('every limit belongs to a rule with its code,`,
      ],
    ],
    'docs/risk.md': [
      [
        '| `COLLAR` | `priceBand`, fraction | its limit',
        '| `NOTIONAL_MIN` | `minOrderNotional`, quote asset | its worst notional is below this | off | - |\n| `COLLAR` | `priceBand`, fraction | its limit',
      ],
    ],
    'docs/backtest.md': [
      [
        '| `maxPositionQty` |',
        '| `minOrderNotional` | smallest worst-case notional of one order | quote asset, quoted decimal | `NOTIONAL_MIN` |\n| `maxPositionQty` |',
      ],
    ],
  },
  tests: ['src/risk/rules.test.ts', 'test/e2e/schema.test.ts'],
  usageTest: `import { expect, it } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { backtest, generateBars } from '../../src/run.ts';

it('a run denies an order that is too small, with the code of the rule', async () => {
  const data = generateBars({ symbol: 'TESTUSDT', interval: '1h', bars: 20, seed: 1 });
  const ends: string[] = [];
  class Small extends Strategy {
    override onBar() {
      this.buy({ quote: 10 });
    }
    override onOrder(order: { readonly code?: string | null }) {
      ends.push(String(order.code));
    }
  }
  await backtest({ strategy: Small, data, cash: '10000', risk: { minOrderNotional: '50' } });
  expect(ends[0]).toBe('NOTIONAL_MIN');
});
`,
};

const fillParameter: Addition = {
  marker: 'throughTicks',
  edits: {
    'src/definition/text/fills.ts': [
      [
        '    latencyMs: integerValue(',
        "    throughTicks: integerValue('ticks', 'how far beyond its price a resting limit order needs the price to trade').optional(),\n    latencyMs: integerValue(",
      ],
      ['    latencyMs: fills.latencyMs', '    throughTicks: fills.throughTicks ?? 0,\n    latencyMs: fills.latencyMs'],
    ],
    'src/venue/venueConfig.ts': [
      [
        '  readonly slippageTicks: number;\n',
        '  readonly slippageTicks: number;\n  /** Ticks beyond its price that a resting limit needs. */\n  readonly throughTicks: number;\n',
      ],
    ],
    'src/venue/barBook.ts': [
      [
        '  private readonly volumeSharePpm: number;\n',
        '  private readonly volumeSharePpm: number;\n  private readonly throughTicks: number;\n',
      ],
      [
        '    this.volumeSharePpm = config.maxVolumeSharePpm;\n',
        '    this.volumeSharePpm = config.maxVolumeSharePpm;\n    this.throughTicks = config.throughTicks;\n',
      ],
      [
        '      if (beyondTicks > 0 || (beyondTicks === 0 && this.fillsAtTouch)) {',
        '      if (beyondTicks > this.throughTicks || (beyondTicks === 0 && this.fillsAtTouch)) {',
      ],
    ],
    'src/venue/spotBook.test.ts': [
      [
        "  test('maker and taker pay their own rates', () => {",
        `  test.each([
    [9_898, []],
    [9_897, ['1: 10 @ 9900 maker 60000']],
  ])('with throughTicks 2 a resting buy at 9,900 and a low of %i', (low, tape) => {
    const { book, sink, limit } = openSpotVenue({ throughTicks: 2 });
    limit('buy', 10, 9_900, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_050, low);
    expect(sink.tape).toEqual(tape);
  });

  test('maker and taker pay their own rates', () => {`,
      ],
    ],
    'docs/backtest.md': [
      [
        '| `fills.latencyMs` |',
        '| `fills.throughTicks` | how far beyond its price a resting limit order needs the price to trade | ticks, whole number | `0` |\n| `fills.latencyMs` |',
      ],
    ],
  },
  tests: ['src/venue/spotBook.test.ts', 'src/definition/text/definition.test.ts', 'test/e2e/schema.test.ts'],
  usageTest: `import { expect, it } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { backtest, generateBars } from '../../src/run.ts';

it('a run fills fewer limits when the price has to trade further through them', async () => {
  const data = generateBars({ symbol: 'TESTUSDT', interval: '1h', bars: 200, seed: 1 });
  class Bids extends Strategy {
    override onBar() {
      this.buy({ quote: 10 }, { limit: this.bars.close.value * 0.999, tag: 'bid' });
    }
  }
  const fills = async (throughTicks: number) => (await backtest({ strategy: Bids, data, cash: '10000', fills: { throughTicks } })).fills;
  const [near, far] = [await fills(0), await fills(100_000_000)];
  expect(near.length).toBeGreaterThan(0);
  expect(far.length).toBeLessThan(near.length);
});
`,
};

/** The folder of a project's files in the copy. Lists in CONTRIBUTING.md name these files as the project has them. */
export const PROJECT = 'project/';

const model: Addition = {
  marker: 'halfSpread',
  edits: {
    [`${PROJECT}models/halfSpread.ts`]: `// Half a spread of ten basis points.
import { slippageModel } from 'isobar';

export default slippageModel(({ price }) => price * 0.0005);
`,
    [`${PROJECT}backtests/halfSpread.yaml`]: `strategy: ../strategies/smaCross.ts
feeds: { bars: { symbol: TESTUSDT, interval: 1h } }
cash: { USDT: '10000' }
models: { slippage: models/halfSpread.ts }
`,
  },
  tests: [],
  usageTest: `import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isobar = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [root + 'dist/cli/isobar.js', ...args], { cwd: root + 'project', encoding: 'utf8' });

it('a run with the model pays more than one without', () => {
  isobar('data', 'generate', '--symbol', 'TESTUSDT', '--interval', '1h', '--from', '2024-01-01', '--bars', '500', '--seed', '1');
  const profit = (...args: readonly string[]): number => {
    const { metrics } = JSON.parse(isobar('backtest', 'backtests/halfSpread.yaml', '--json', ...args)) as { metrics: { netProfit: string } };
    return Number(metrics.netProfit);
  };
  expect(profit()).toBeLessThan(profit('--set', 'models={}'));
});
`,
};

const command: Addition = {
  marker: 'runList',
  edits: {
    'src/cli/runs/runList.ts': `// \`isobar runs\`: its options. The action is loaded when the command runs.

import type { Argv } from 'yargs';

const options = (args: Argv) =>
  args
    .positional('folder', { type: 'string', default: 'runs', describe: 'Folder of run folders' })
    .example('$0 runs', 'the runs of this project');

export function addRunListCommand(yargs: Argv): Argv {
  return yargs.command('runs [folder]', 'List run folders, newest first', options, async (args) =>
    (await import('./runListAction.ts')).runList(args),
  );
}
`,
    'src/cli/runs/runListAction.ts': `// What \`isobar runs\` does: prints the run folders of a folder.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { printLines } from '../terminal/print.ts';

export function runList({ folder }: { readonly folder: string }): void {
  if (!existsSync(folder)) throw new ConfigError(\`\${folder}: expected a folder of runs, got nothing\`, 'make a run: isobar backtest --demo');
  printLines(runsIn(folder));
}

/** Names begin with the time of the run: the last in the alphabet is the newest. */
export function runsIn(folder: string): readonly string[] {
  const runs = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'manifest.json')));
  return runs.toSorted().toReversed().map((name) => join(folder, name)); // prettier-ignore
}
`,
    'src/cli/runs/runListAction.test.ts': `// The run folders of a folder, and other folders.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runList, runsIn } from './runListAction.ts';

it('run folders are listed newest first, other folders are left out, and a missing folder is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-runs-'));
  for (const name of ['20240101-a', '20240301-b', '20240201-c']) {
    mkdirSync(join(folder, name));
    if (!name.endsWith('c')) writeFileSync(join(folder, name, 'manifest.json'), '{}');
  }
  expect(runsIn(folder)).toEqual([join(folder, '20240301-b'), join(folder, '20240101-a')]);
  expect(() => runList({ folder: join(folder, 'none') })).toThrow('expected a folder of runs');
  rmSync(folder, { recursive: true });
});
`,
    'src/cli/main.ts': [
      [
        "import { addReportCommand } from './runs/report.ts';",
        "import { addReportCommand } from './runs/report.ts';\nimport { addRunListCommand } from './runs/runList.ts';",
      ],
      ['    addReportCommand,\n    addApiCommand,', '    addReportCommand,\n    addRunListCommand,\n    addApiCommand,'],
    ],
    'docs/run-folder.md': [['# The run folder\n', '# The run folder\n\n`isobar runs` lists the run folders of a project, newest first.\n']],
  },
  tests: ['src/cli/runs/runListAction.test.ts'],
  usageTest: `import { expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

it('help names the command and what it does', async () => {
  const printedLines: string[] = [];
  const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockImplementation((text) => void printedLines.push(String(text))));
  await main(['--help']);
  for (const spy of spies) spy.mockRestore();
  expect(printedLines.join('\\n')).toMatch(/isobar runs \\[folder\\] +List run folders, newest first/);
});
`,
};

const orderState: Addition = {
  marker: 'suspended',
  edits: {
    'src/model/order.ts': [["| 'working' | 'cancelSent' | 'done';", "| 'working' | 'suspended' | 'cancelSent' | 'done';"]],
    'src/orders/lifecycle.ts': [
      ["'working', 'cancelSent', 'done'] as const satisfies", "'working', 'suspended', 'cancelSent', 'done'] as const satisfies"],
      ["'seenLive', 'lateArrival',\n] as const", "'seenLive', 'lateArrival', 'paused',\n] as const"],
      [
        "    filled: 'done', canceled: 'done', rejected: 'done', expired: 'done',\n  }, // prettier-ignore\n  cancelSent: {",
        "    filled: 'done', canceled: 'done', rejected: 'done', expired: 'done', paused: 'suspended',\n  }, // prettier-ignore\n  suspended: { seenLive: 'working', outcomeUnknown: 'unknown', canceled: 'done', expired: 'done' },\n  cancelSent: {",
      ],
      ['export const EVENT_BITS = 4;', 'export const EVENT_BITS = 5;'],
      ['working: 3, cancelSent: 4, done: 5 }', 'working: 3, suspended: 4, cancelSent: 5, done: 6 }'],
      ['seenLive: 14, lateArrival: 15,', 'seenLive: 14, lateArrival: 15, paused: 16,'],
    ],
    'src/orders/lifecycle.test.ts': [
      [
        "  ['cancelSent', 'seenLive', 'cancelSent'],\n",
        `  ['working', 'paused', 'suspended'],
  ['suspended', 'seenLive', 'working'],
  ['suspended', 'outcomeUnknown', 'unknown'],
  ['suspended', 'canceled', 'done'],
  ['suspended', 'expired', 'done'],
  ['cancelSent', 'seenLive', 'cancelSent'],
`,
      ],
    ],
    'src/orders/orderManager.ts': [
      [
        '  /** Applies a terminal status from the venue. In a replay',
        `  /** The exchange shows the order as one that it will not match for now. */
  suspended(order: BotOrder, nowMs: number): void {
    if (!this.step(order, EVENT.paused)) return;
    order.changedMs = nowMs as TimeMs;
    this.journal.state(order);
  }

  /** Applies a terminal status from the venue. In a replay`,
      ],
    ],
    'src/orders/orderManager.test.ts': [
      [
        "  it('the order manager reuses the record of an ended order without any of its values', () => {",
        `  it('a suspended order stays reserved', () => {
    const { orders, reservations, send } = fixture();
    const order = send(100);
    orders.acked(order, 7 as VenueOrderId, NOW_MS);
    orders.suspended(order, NOW_MS);
    expect([order.lifecycle, reservations.openOrders(0)]).toEqual(['suspended', 1]);
  });

  it('the order manager reuses the record of an ended order without any of its values', () => {`,
      ],
    ],
    'src/adapters/journal/records/records.ts': [["'working', 'cancelSent', 'done');", "'working', 'suspended', 'cancelSent', 'done');"]],
    'docs/order-safety.md': [
      [
        'An order with the tag of one whose cancel',
        'A `suspended` order rests at the exchange and is not matched for now.\n\nAn order with the tag of one whose cancel',
      ],
    ],
  },
  tests: ['src/orders/lifecycle.test.ts', 'src/orders/orderManager.test.ts'],
  usageTest: `import { expect, it } from 'vitest';
import { RECORD_KINDS } from '../../src/adapters/journal/records/records.ts';
import { LIFECYCLES, nextLifecycle } from '../../src/orders/lifecycle.ts';

it('the journal takes the state, and every state can be left', () => {
  expect(nextLifecycle('working', 'paused')).toBe('suspended');
  for (const lifecycle of LIFECYCLES) expect(RECORD_KINDS.STATE.lifecycle.accepts(lifecycle), lifecycle).toBe(true);
});
`,
};

/** By the heading of a list in CONTRIBUTING.md. */
export const ADDITIONS: Readonly<Record<string, Addition>> = {
  Endpoint: endpoint,
  Indicator: indicator,
  'Risk rule': riskRule,
  'Fill parameter': fillParameter,
  Model: model,
  Command: command,
  'Order state': orderState,
};
