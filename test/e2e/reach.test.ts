// Tests what strategy code can reach in the built package through any own property: no column, no buffer, no part of the engine.

import { afterAll, expect, test } from 'vitest';
import { backtest } from 'isobar/run';
import { CliFixture } from '../fixtures/cliFixture.ts';

const fixture = new CliFixture();
const here = process.cwd();
afterAll(() => {
  process.chdir(here);
  fixture.remove();
});

/** Walks over own properties and class getters from everything that a strategy gets. Throws at the first object that holds bars. */
const CURIOUS = `import { atr, sma, Strategy, crossedUp } from 'isobar';
const seen = new Set();
let looked = 0;
function look(value, path) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.add(value);
  looked++;
  if (ArrayBuffer.isView(value)) throw new Error('reached ' + path);
  if (path.split('.').length > 8) return;
  for (let of = value; of !== null && of !== Object.prototype && of !== Function.prototype; of = Object.getPrototypeOf(of)) {
    for (const key of Reflect.ownKeys(of)) {
      if (key === 'constructor' || key === 'prototype' || key === 'caller' || key === 'callee' || key === 'arguments') continue;
      let next;
      try { next = Reflect.get(of, key, value); } catch { continue; }
      look(next, path + '.' + String(key));
    }
  }
}
export default class Curious extends Strategy {
  fast = this.use(sma(this.bars.close, 3));
  range = this.use(atr(this.bars, 5));
  up = this.when(crossedUp(this.bars.close, this.fast), () => { if (this.position().isFlat) this.buy(); else this.exit(); });
  onBar() {
    look(this, 'this');
    look(this.position(), 'position');
    look(this.openOrders(), 'orders');
    look(this.bars.bar, 'bar');
    seen.clear();
  }
  onOrder(order) { look(order, 'order'); }
  onFill(fill) { look(fill, 'fill'); }
  onStop() { this.log('looked', { looked }); }
}
`;

test('no object that a strategy holds leads to later rows', async () => {
  fixture.bars('BTCUSDT', '1h', 300);
  fixture.write('curious.ts', CURIOUS);
  fixture.write('run.yaml', "strategy: curious.ts\nfeeds: { bars: { symbol: BTCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n");
  process.chdir(fixture.folder);
  const { fills } = await backtest({ definition: 'run.yaml' });
  expect(fills.length).toBeGreaterThan(5);
});
