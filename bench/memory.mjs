// A fill-light run from a catalog in a process of its own: prints its peak resident size in KiB.
import { readFileSync } from 'node:fs';
import { loadBars } from '../dist/adapters/catalog/bars/catalog.js';
import { BLOCK_ROWS } from '../dist/definition/resolve.js';
import { runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { loadStrategy } from '../dist/adapters/plugins/loadStrategy.js';

const [catalog, symbol] = process.argv.slice(2);
const { bars, quality } = loadBars(catalog, { market: 'spot', symbol, interval: '1m' });
const file = new URL('../strategies/smaCrossOnBar.ts', import.meta.url).pathname;
const { strategy, hash } = await loadStrategy(file);
const record = await runBacktest({
  name: 'memory',
  strategies: [{ strategy, record: { name: 'SmaCrossOnBar', file, hash, params: {} }, params: { fast: 100, slow: 300 }, share: '1', hash }],
  feeds: [{ name: 'bars', bars, firstRow: 0, quality }],
  fromMs: bars.openMs[0],
  toMs: bars.closeMs[bars.length - 1],
  cash: { USDT: '100000000' },
  size: { base: '1' },
  fees: { makerPpm: 400, takerPpm: 400, in: 'quote', rounding: 'halfUp' },
  fills: { limit: 'through', latencyMs: 0, maxVolumeSharePpm: 0, slippageTicks: 0, slippagePpm: 0, impactPpm: 0, collarPpm: 10_000 },
  risk: { maxLeverage: '1' },
  seed: 1,
  blockRows: BLOCK_ROWS,
});
if (record.fills.length === 0) throw new Error('a run without fills measures nothing');
// Not getrusage: there the parent's peak is counted to the child.
process.stdout.write(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
