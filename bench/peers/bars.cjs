// Code that the programs of both peers share: the bars from the benchmark, averages as running sums, and the timing of a run.

const { readFileSync } = require('node:fs');

/** Reads the columns of a file of doubles: open and close times, open, high, low, close, one after the other. */
function readBars(path) {
  const bytes = readFileSync(path);
  const doubles = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const rows = doubles.length / 6;
  const [openMs, closeMs, open, high, low, close] = Array.from({ length: 6 }, (_, column) =>
    doubles.subarray(column * rows, (column + 1) * rows),
  );
  return { rows, openMs, closeMs, open, high, low, close };
}

/**
 * Returns a function that takes one close after the other. It returns the fast average minus the slow one, times both lengths, and NaN while
 * there are too few closes. It counts in whole cents, so that equal averages compare as equal, as they do in isobar.
 */
function runningLead(fast, slow) {
  const cents = [];
  let [fastSum, slowSum] = [0, 0];
  return (close) => {
    const row = cents.push(Math.round(close * 100)) - 1;
    fastSum += cents[row] - (row >= fast ? cents[row - fast] : 0);
    slowSum += cents[row] - (row >= slow ? cents[row - slow] : 0);
    return row < slow - 1 ? NaN : fastSum * slow - slowSum * fast;
  };
}

/** Runs several passes. Returns the CPU time of the process for each bar of the best pass, and the result of the last pass. */
async function bestPass(rows, passCount, run) {
  let [minNsPerBar, result] = [Infinity, null];
  for (let pass = 0; pass < passCount; pass++) {
    const startUsage = process.cpuUsage();
    result = await run();
    const { user, system } = process.cpuUsage(startUsage);
    minNsPerBar = Math.min(minNsPerBar, ((user + system) * 1000) / rows);
  }
  return { nsPerBar: minNsPerBar, result };
}

module.exports = { readBars, runningLead, bestPass };
