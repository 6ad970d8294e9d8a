// Tests the check of a sweep for state that sets share: a set whose result differs when it runs alone ends the sweep and is named.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/barQuality.ts';
import { ROOT } from '../fixtures/packed.ts';

const IMPORTS = "import { custom, int, sma, Strategy } from 'isobar';\n";
const CLASS = 'export default class S extends Strategy.with({ fast: int(5) }) {';
/** Strategies by name. `module` and `statics` keep values from set to set, `pure` from row to row, and `local` uses local time. */
const BODIES: Readonly<Record<string, string>> = {
  clean: `const memo = new Map<number, number>();
${CLASS}
  fast = this.use(sma(this.bars.close, this.params.fast));
  override onBar() {
    memo.set(1, 2);
    if (this.fast.value < this.bars.close.value) this.buy();
    else this.exit();
  }
}`,
  module: `let bars = 0;
${CLASS}
  override onBar() {
    bars++;
    if (bars % 7 < 3) this.buy();
    else this.exit();
  }
}`,
  statics: `${CLASS}
  static last = 0;
  override onBar() {
    if (S.last < this.bars.close.value) this.buy();
    else this.exit();
    S.last = this.bars.close.value * (1 + this.params.fast / 1000);
  }
}`,
  pure: `${CLASS}
  next = 0;
  recorded = this.use(custom(this.bars.close, () => (close) => (this.next = close), { pure: true }));
  override onBar() {
    if (this.next > this.bars.close.value) this.buy();
    else this.exit();
  }
}`,
  local: `${CLASS}
  override onBar() {
    if (new Date(this.nowMs).getHours() < this.params.fast) this.buy();
    else this.exit();
  }
}`,
};

/** Returns the definition of a run of the strategy with this name. */
const definitionOf = (name: string): string => `strategy: ./${name}.ts
feeds: { bars: { symbol: AAAUSDT, interval: 1h } }
market: spot
cash: { USDT: '10000' }
fees: { maker: '0.001', taker: '0.001' }
seed: 1
catalog: ./catalog
`;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-sweep-state-'));
  const bars = synthesizeBars({ symbol: 'AAAUSDT', interval: '1h', fromMs: Date.UTC(2024, 0, 1), bars: 3000, seed: 3 });
  storeBars(join(folder, 'catalog'), bars, SYNTHETIC);
  for (const [name, body] of Object.entries(BODIES)) {
    writeFileSync(join(folder, `${name}.ts`), `${IMPORTS}${body}\n`);
    writeFileSync(join(folder, `${name}.yaml`), definitionOf(name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The end of a sweep, with the codes of its warnings about look-ahead, state and impure calls. */
interface SweepOutcome {
  readonly code: number;
  readonly stderr: string;
  readonly codes: readonly string[];
}

/** Runs a sweep of six sets. */
function sweep(name: string): Promise<SweepOutcome> {
  const args = ['sweep', `${name}.yaml`, '--grid', 'fast=4..9:1', '--json', '--quiet', '--out', `runs-${name}`];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(ROOT, 'dist/cli/isobar.js'), ...args],
      { cwd: folder, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        const { warnings = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as { readonly warnings?: readonly { readonly code: string }[] };
        const codes = warnings.map(({ code }) => code).filter((code) => /^(LOOKAHEAD|STATE|IMPURE)_/.test(code));
        resolve({ code: error === null ? 0 : Number(error.code), stderr, codes });
      },
    );
  });
}

const SLOW_TEST = { timeout: 90_000 };

test('a sweep of a strategy that only keeps a cache in its module runs without a warning', SLOW_TEST, async () => {
  expect(await sweep('clean')).toMatchObject({ code: 0, codes: [] });
});

test.each(['module', 'statics'])(
  'a sweep ends with an error that names the set if state in %s changes its result',
  SLOW_TEST,
  async (name) => {
    const { code, stderr } = await sweep(name);
    expect(code).toBe(3);
    expect(stderr).toMatch(/S with fast=\d+: expected the same result alone and with other sets, got \w+ \S+ alone and \S+ with others/);
  },
);

test('a sweep with an impure custom indicator that is declared pure ends with an error', SLOW_TEST, async () => {
  const { code, stderr } = await sweep('pure');
  expect(code).toBe(3);
  expect(stderr).toMatch(/custom#1\(close, pure\) \(pure\.ts:4\) is not pure/);
});

test('a sweep warns of local time with the same code as a backtest', SLOW_TEST, async () => {
  expect(await sweep('local')).toMatchObject({ code: 0, codes: ['IMPURE_LOCAL_TIME'] });
});
