// The files that `isobar init` and `isobar strategy new` write, as texts.

export interface StrategyNames {
  /** File without its ending: `meanCross`. */
  readonly file: string;
  /** Class: `MeanCross`. */
  readonly className: string;
}

/** A strategy that runs as it stands, to be made into another one. */
export function strategyText({ className }: StrategyNames): string {
  return `// Long while the fast average of closes is above the slow one and the market is not overbought.
import { crossedDown, crossedUp, float, int, rsi, sma, Strategy } from 'isobar';

export default class ${className} extends Strategy.with({
  fast: int(10, { min: 1, max: 500, unit: 'bars', help: 'length of the fast average' }),
  slow: int(40, { min: 2, max: 1000, unit: 'bars', help: 'length of the slow average' }),
  overbought: float(75, { min: 50, max: 100, help: 'no entry while the RSI is above this' }),
}) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  strength = this.use(rsi(this.bars.close, 14));

  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat && this.strength.value < this.params.overbought) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}
`;
}

/** `strategies` is the folder of both files. */
export function strategyTestText({ file, className }: StrategyNames): string {
  return `// ${className} on seeded bars: it trades, it never holds more than one position, and it does the same every time.
import { backtest, generateBars } from 'isobar/run';
import { expect, test } from 'vitest';
import ${className} from './${file}.ts';

const data = generateBars({ bars: 5000, symbol: 'DEMOUSDT', interval: '1h', seed: 7 });
const run = (params = {}) => backtest({ strategy: ${className}, params, data, cash: '10000', fees: '0.001' });

test('it trades, and every exit follows an entry', async () => {
  const { trades, orders } = await run();
  expect(trades.length).toBeGreaterThan(10);
  expect(orders.side.filter((side) => side === 'buy').length - trades.length).toBeLessThanOrEqual(1);
});

test('the same bars give the same result, other parameters another one', async () => {
  const [one, again, other] = [await run(), await run(), await run({ fast: 5 })];
  expect(again.resultHash).toBe(one.resultHash);
  expect(other.resultHash).not.toBe(one.resultHash);
});
`;
}

export function definitionText({ file }: StrategyNames): string {
  return `# What to run: isobar backtest backtests/first.yaml
strategy: strategies/${file}.ts
params: { fast: 10, slow: 40 }
feeds: { bars: { symbol: DEMOUSDT, interval: 1h } }
cash: { USDT: '10000' }
size: { equity: '0.95' }
fees: { maker: '0.001', taker: '0.001' }
risk: { maxLeverage: '1' }
catalog: data
`;
}

export function packageText(name: string, isobar: string): string {
  const file = {
    name,
    private: true,
    type: 'module',
    scripts: { test: 'vitest run', typecheck: 'tsc', backtest: 'isobar backtest backtests/first.yaml' },
    dependencies: { isobar },
    devDependencies: { typescript: '5.9.3', vitest: '4.1.12' },
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** What editors and \`tsc\` check strategies with. */
export const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'ES2022',
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      noImplicitOverride: true,
      skipLibCheck: true,
    },
    include: ['strategies'],
  },
  null,
  2,
)}\n`;

export const IGNORED = 'node_modules\nruns\ndata\nledger\n.isobar-cache\n';

export function readmeText({ file }: StrategyNames): string {
  return `# Strategies

\`\`\`sh
npm i
npx isobar backtest backtests/first.yaml     # a run on synthetic bars; its report lies under runs/
npm test                                     # the strategy's own test
\`\`\`

| | |
|---|---|
| \`strategies/${file}.ts\` | the strategy: change it |
| \`strategies/${file}.test.ts\` | its test |
| \`backtests/first.yaml\` | what to run: strategy, bars, cash, fees, risk |
| \`data/\` | the catalog of bars; it begins with a year of synthetic ones (DEMOUSDT, 1h) |

Then, with bars of your own:

\`\`\`sh
npx isobar data import BTCUSDT-1h.csv
npx isobar backtest backtests/first.yaml --set feeds.bars.symbol=BTCUSDT
npx isobar sweep backtests/first.yaml --grid fast=5..20:5 --grid slow=30..60:10
npx isobar strategy new another
npx isobar strategy show strategies/${file}.ts
\`\`\`
`;
}
