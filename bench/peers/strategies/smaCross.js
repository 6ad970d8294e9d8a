// The SMA cross for @backtest/framework. Orders fill at a price that the strategy names: what it decides at a close fills at the next open.

const { runningLead } = require('../bars.cjs');

let lead = null;
let was = NaN;
let bars = 0;
let wanted = '';

async function startCallback() {
  [lead, was, bars, wanted] = [null, NaN, 0, ''];
}

async function runStrategy(bth) {
  const { currentCandle, params } = bth;
  if (wanted === 'buy') await bth.buy({ price: currentCandle.open, baseAmount: 1 });
  else if (wanted === 'sell') await bth.sell({ price: currentCandle.open });
  wanted = '';
  const now = params.ownSums ? ownLead(params, currentCandle.close) : await documentedLead(params, bth);
  if (now > 0 && was <= 0 && bth.orderBook.baseAmount === 0) wanted = 'buy';
  else if (now < 0 && was >= 0 && bth.orderBook.baseAmount > 0) wanted = 'sell';
  was = now;
}

/** The fastest that a strategy of it can do. */
function ownLead({ fast, slow }, close) {
  lead ??= runningLead(fast, slow);
  return lead(close);
}

/** As its README shows: the last closes are asked for at each bar, for which it searches and copies the history. */
async function documentedLead({ fast, slow }, bth) {
  if (++bars < slow) return NaN;
  const closes = await bth.getCandles('close', slow, 0);
  const sum = (values) => values.reduce((total, close) => total + Math.round(close * 100), 0);
  return sum(closes.slice(-fast)) * slow - sum(closes) * fast;
}

module.exports = { startCallback, runStrategy };
