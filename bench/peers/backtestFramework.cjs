// Runs @backtest/framework over the benchmark's bars: its own loop, orders and metrics, without its database. Prints one JSON object.

const path = require('node:path');
const { readBars, bestPass } = require('./bars.cjs');

// The package reads its bars through Prisma from SQLite. Here they come from memory, because only its backtest is compared.
require.cache[require.resolve('@prisma/client')] = { loaded: true, exports: { PrismaClient: function PrismaClient() {} } };
const database = require('@backtest/framework/dist/src/helpers/prisma-historical-data.js');
const { run } = require('@backtest/framework/dist/src/helpers/run-strategy.js');

async function main() {
  const [mode, file, fast, slow, cash, feePercent, passCount] = process.argv.slice(2);
  const bars = readBars(file);
  const commonFields = { symbol: 'AAAUSDT', interval: '1m', volume: 0, assetVolume: 0, numberOfTrades: 0 };
  const candles = Array.from({ length: bars.rows }, (_, row) => ({
    ...commonFields,
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
  const { nsPerBar, result } = await bestPass(bars.rows, Number(passCount), () => run(params));
  // An order has the close time of the bar at whose open it fills. The package sells an open position at the last close; isobar does not.
  const barMs = bars.closeMs[0] - bars.openMs[0];
  const fills = result.allOrders.map(({ type, price, time }) => ({ isBuy: type === 'buy', openMs: time - barMs, price }));
  const [lastFill, lastCandle] = [fills.at(-1), candles.at(-1)];
  if (lastFill.price === lastCandle.close && lastFill.openMs === lastCandle.openTime) fills.pop();
  process.stdout.write(JSON.stringify({ nsPerBar, fills, endEquity: result.allWorths.at(-1).close }));
}

void main();
