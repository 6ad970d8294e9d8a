// Trades the SMA cross in @backtest/framework. An order of it fills at a named price, so a decision at a close is sent at the next open.

const { runningLead } = require('../bars.cjs');

let nextLead = null;
let previousLead = NaN;
let barCount = 0;
let pendingSide = '';

async function startCallback() {
  [nextLead, previousLead, barCount, pendingSide] = [null, NaN, 0, ''];
}

async function runStrategy(bth) {
  const { currentCandle, params } = bth;
  if (pendingSide === 'buy') await bth.buy({ price: currentCandle.open, baseAmount: 1 });
  else if (pendingSide === 'sell') await bth.sell({ price: currentCandle.open });
  pendingSide = '';
  const lead = params.ownSums ? ownLead(params, currentCandle.close) : await documentedLead(params, bth);
  if (lead > 0 && previousLead <= 0 && bth.orderBook.baseAmount === 0) pendingSide = 'buy';
  else if (lead < 0 && previousLead >= 0 && bth.orderBook.baseAmount > 0) pendingSide = 'sell';
  previousLead = lead;
}

/** Computes the averages as running sums, the fastest way that its strategies have. */
function ownLead({ fast, slow }, close) {
  nextLead ??= runningLead(fast, slow);
  return nextLead(close);
}

/** Computes the averages as its README does: reads the last closes at each bar. For that the package searches and copies the history. */
async function documentedLead({ fast, slow }, bth) {
  if (++barCount < slow) return NaN;
  const closes = await bth.getCandles('close', slow, 0);
  const sum = (values) => values.reduce((total, close) => total + Math.round(close * 100), 0);
  return sum(closes.slice(-fast)) * slow - sum(closes) * fast;
}

module.exports = { startCallback, runStrategy };
