// What both peers share: the bars that the bench hands over, the averages as running sums, and the timing of a run.

const { readFileSync } = require('node:fs');

/** Columns of doubles, one after the other: open and close times, open, high, low, close. */
function readBars(path) {
  const bytes = readFileSync(path);
  const doubles = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const rows = doubles.length / 6;
  const [openMs, closeMs, open, high, low, close] = Array.from({ length: 6 }, (_, at) => doubles.subarray(at * rows, (at + 1) * rows));
  return { rows, openMs, closeMs, open, high, low, close };
}

/**
 * A function of closes, one after the other: by how much the fast average is above the slow one, times both lengths; NaN while there are
 * too few. In whole cents, so that equal averages come out as equal, as they do in the engine.
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

/** The least process CPU time of some passes, in ns a bar, with what the last pass returned. */
async function best(rows, passes, run) {
  let [least, result] = [Infinity, null];
  for (let pass = 0; pass < passes; pass++) {
    const from = process.cpuUsage();
    result = await run();
    const { user, system } = process.cpuUsage(from);
    least = Math.min(least, ((user + system) * 1000) / rows);
  }
  return { nsPerBar: least, result };
}

module.exports = { readBars, runningLead, best };
