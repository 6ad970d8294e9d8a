// @backtest/framework over the bench's bars: its own loop, orders and metrics, with the database reads left out. Prints one JSON object.

const path = require('node:path');
const { readBars, best } = require('./bars.cjs');

// The package reads its bars through Prisma from SQLite. What is compared is its backtest: they come from memory, and no read is timed.
require.cache[require.resolve('@prisma/client')] = { loaded: true, exports: { PrismaClient: function PrismaClient() {} } };
const database = require('@backtest/framework/dist/src/helpers/prisma-historical-data.js');
const { run } = require('@backtest/framework/dist/src/helpers/run-strategy.js');

async function main() {
  const [mode, file, fast, slow, cash, feePercent, passes] = process.argv.slice(2);
  const bars = readBars(file);
  const shared = { symbol: 'AAAUSDT', interval: '1m', volume: 0, assetVolume: 0, numberOfTrades: 0 };
  const candles = Array.from({ length: bars.rows }, (_, row) => ({
    ...shared,
    openTime: bars.openMs[row],
    open: bars.open[row],
    high: bars.high[row],
    low: bars.low[row],
    close: bars.close[row],
    closeTime: bars.closeMs[row],
  }));
  database.getCandles = async () => ({ candles, metaCandles: [{ symbol: 'AAAUSDT', interval: '1m' }] });
  const params = {
    strategyName: 'smaCross',
    rootPath: path.join(__dirname, 'strategies'),
    historicalData: ['AAAUSDT-1m'],
    supportHistoricalData: [],
    startingAmount: Number(cash),
    startTime: bars.openMs[0],
    endTime: bars.closeMs[bars.rows - 1],
    params: { fast: Number(fast), slow: Number(slow), ownSums: mode === 'ownSums' },
    percentFee: Number(feePercent),
    percentSlippage: 0,
  };
  const { nsPerBar, result } = await best(bars.rows, Number(passes), () => run(params));
  // An order is stamped with the close of the bar at whose open it fills. What is held at the end is sold at the last close.
  const barMs = bars.closeMs[0] - bars.openMs[0];
  const fills = result.allOrders.map(({ type, price, time }) => ({ isBuy: type === 'buy', openMs: time - barMs, price }));
  if (fills.at(-1).price === candles.at(-1).close && fills.at(-1).openMs === candles.at(-1).openTime) fills.pop();
  process.stdout.write(JSON.stringify({ nsPerBar, fills, endEquity: result.allWorths.at(-1).close }));
}

void main();
