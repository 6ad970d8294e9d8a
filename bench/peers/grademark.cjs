// grademark over the bench's bars, with its averages made in one of three ways. Prints one JSON object.

const { DataFrame } = require('data-forge');
require('data-forge-indicators');
const { backtest } = require('grademark');
const { readBars, runningLead, best } = require('./bars.cjs');

const rules = {
  entryRule: (enterPosition, { bar }) => {
    if (bar.lead > 0) enterPosition({ direction: 'long' });
  },
  exitRule: (exitPosition, { bar }) => {
    if (bar.lead < 0) exitPosition();
  },
};

/** `prepare` is not timed; `prepIndicators`, a hook of the strategy, runs inside of the backtest. */
const modes = {
  /** The averages of data-forge-indicators joined to the bars by time, as in its README, in the hook that its strategies have for this. */
  documented: (fast, slow) => ({
    prepare: (values) => new DataFrame({ values }).setIndex('time').bake(),
    prepIndicators({ inputSeries }) {
      const cents = inputSeries.deflate((bar) => Math.round(bar.close * 100));
      const joined = inputSeries
        .withSeries('fast', cents.sma(fast))
        .withSeries('slow', cents.sma(slow))
        .skip(slow - 1);
      return joined.select((bar) => ({ ...bar, lead: bar.fast - bar.slow }));
    },
  }),
  /** Running sums of our own in the same hook. */
  ownSums: (fast, slow) => ({
    prepare: (values) => new DataFrame({ values }).bake(),
    prepIndicators({ inputSeries }) {
      const lead = runningLead(fast, slow);
      return inputSeries.select((bar) => ({ ...bar, lead: lead(bar.close) }));
    },
  }),
  /** The bars bear their averages from the start: its bare loop. */
  readyMade: (fast, slow) => ({
    prepare(values) {
      const lead = runningLead(fast, slow);
      return new DataFrame({ values: values.map((bar) => ({ ...bar, lead: lead(bar.close) })) }).bake();
    },
  }),
};

async function main() {
  const [mode, file, fast, slow, cash, , passes] = process.argv.slice(2);
  const bars = readBars(file);
  const { prepare, ...hook } = modes[mode](Number(fast), Number(slow));
  const values = Array.from({ length: bars.rows }, (_, row) => ({
    time: new Date(bars.openMs[row]),
    open: bars.open[row],
    high: bars.high[row],
    low: bars.low[row],
    close: bars.close[row],
  }));
  const series = prepare(values);
  const { nsPerBar, result } = await best(bars.rows, Number(passes), () => backtest({ ...rules, ...hook }, series));
  const fills = result.flatMap(({ entryTime, entryPrice, exitTime, exitPrice, exitReason }) => [
    { isBuy: true, openMs: entryTime.getTime(), price: entryPrice },
    // A trade that is open at the end is valued at the last close: no decision of the strategy.
    ...(exitReason === 'finalize' ? [] : [{ isBuy: false, openMs: exitTime.getTime(), price: exitPrice }]),
  ]);
  const profit = result.reduce((sum, { entryPrice, exitPrice }) => sum + exitPrice - entryPrice, 0);
  process.stdout.write(JSON.stringify({ nsPerBar, fills, endEquity: Number(cash) + profit }));
}

void main();
