// Runs grademark over the benchmark's bars, with averages that are computed in one of three ways. Prints one JSON object.

const { DataFrame } = require('data-forge');
require('data-forge-indicators');
const { backtest } = require('grademark');
const { readBars, runningLead, bestPass } = require('./bars.cjs');

const rules = {
  entryRule: (enterPosition, { bar }) => {
    if (bar.lead > 0) enterPosition({ direction: 'long' });
  },
  exitRule: (exitPosition, { bar }) => {
    if (bar.lead < 0) exitPosition();
  },
};

/** The ways to compute the averages. `prepare` is not timed. `prepIndicators` is a hook of the strategy and runs inside the backtest. */
const modes = {
  /** As in its README: the hook joins the averages of data-forge-indicators to the bars by time. */
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
  /** The same hook computes running sums. */
  ownSums: (fast, slow) => ({
    prepare: (values) => new DataFrame({ values }).bake(),
    prepIndicators({ inputSeries }) {
      const lead = runningLead(fast, slow);
      return inputSeries.select((bar) => ({ ...bar, lead: lead(bar.close) }));
    },
  }),
  /** The bars have their averages from the start, so that only the bare loop is timed. */
  readyMade: (fast, slow) => ({
    prepare(values) {
      const lead = runningLead(fast, slow);
      return new DataFrame({ values: values.map((bar) => ({ ...bar, lead: lead(bar.close) })) }).bake();
    },
  }),
};

async function main() {
  const [mode, file, fast, slow, cash, , passCount] = process.argv.slice(2);
  const columns = readBars(file);
  const { prepare, ...hook } = modes[mode](Number(fast), Number(slow));
  const bars = Array.from({ length: columns.rows }, (_, row) => ({
    time: new Date(columns.openMs[row]),
    open: columns.open[row],
    high: columns.high[row],
    low: columns.low[row],
    close: columns.close[row],
  }));
  const series = prepare(bars);
  const { nsPerBar, result } = await bestPass(columns.rows, Number(passCount), () => backtest({ ...rules, ...hook }, series));
  const fills = result.flatMap(({ entryTime, entryPrice, exitTime, exitPrice, exitReason }) => [
    { isBuy: true, openMs: entryTime.getTime(), price: entryPrice },
    // grademark closes an open trade at the last close. The strategy did not decide that, so it is no fill.
    ...(exitReason === 'finalize' ? [] : [{ isBuy: false, openMs: exitTime.getTime(), price: exitPrice }]),
  ]);
  const profit = result.reduce((sum, { entryPrice, exitPrice }) => sum + exitPrice - entryPrice, 0);
  process.stdout.write(JSON.stringify({ nsPerBar, fills, endEquity: Number(cash) + profit }));
}

void main();
