// Tests what strategy code can reach in the built package through any own property: no column, no buffer, no part of the engine.

import { afterAll, expect, test } from 'vitest';
import { backtest } from 'isobar/run';
import { CliFixture } from '../fixtures/cliFixture.ts';

const fixture = new CliFixture();
const startFolder = process.cwd();
afterAll(() => {
  process.chdir(startFolder);
  fixture.remove();
});

/** A strategy that visits all own properties and class getters of everything that it gets. It throws at the first array of bars. */
const INSPECTOR = `import { atr, sma, Strategy, crossedUp } from 'isobar';
const visited = new Set();
let visitedCount = 0;
function visit(value, path) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || visited.has(value)) return;
  visited.add(value);
  visitedCount++;
  if (ArrayBuffer.isView(value)) throw new Error('reached ' + path);
  if (path.split('.').length > 8) return;
  for (let level = value; level !== null && level !== Object.prototype && level !== Function.prototype; level = Object.getPrototypeOf(level)) {
    for (const key of Reflect.ownKeys(level)) {
      if (key === 'constructor' || key === 'prototype' || key === 'caller' || key === 'callee' || key === 'arguments') continue;
      let next;
      try { next = Reflect.get(level, key, value); } catch { continue; }
      visit(next, path + '.' + String(key));
    }
  }
}
export default class Inspector extends Strategy {
  fast = this.use(sma(this.bars.close, 3));
  range = this.use(atr(this.bars, 5));
  up = this.when(crossedUp(this.bars.close, this.fast), () => { if (this.position().isFlat) this.buy(); else this.exit(); });
  onBar() {
    visit(this, 'this');
    visit(this.position(), 'position');
    visit(this.openOrders(), 'orders');
    visit(this.bars.bar, 'bar');
    visited.clear();
  }
  onOrder(order) { visit(order, 'order'); }
  onFill(fill) { visit(fill, 'fill'); }
  onStop() { this.log('visited', { visitedCount }); }
}
`;

test('no object that a strategy holds leads to an array of bars', async () => {
  fixture.bars('BTCUSDT', '1h', 300);
  fixture.write('inspector.ts', INSPECTOR);
  fixture.write('run.yaml', "strategy: inspector.ts\nfeeds: { bars: { symbol: BTCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n");
  process.chdir(fixture.folder);
  const { fills } = await backtest({ definition: 'run.yaml' });
  expect(fills.length).toBeGreaterThan(5);
});
