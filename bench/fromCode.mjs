// Runs of `isobar/run` in a process of their own: prints the hash of the result, and the CPU time (ms) of the first and of the best later call.
import { backtest } from '../dist/run.js';

const [definition, calls] = process.argv.slice(2);
let [first, settled, hash] = [0, Infinity, ''];
for (let call = 0; call < Number(calls); call++) {
  const from = call === 0 ? { user: 0, system: 0 } : process.cpuUsage();
  const { metrics, resultHash } = await backtest({ definition });
  if (metrics.sharpe === null) throw new Error('a run without figures measures nothing');
  const now = process.cpuUsage();
  const ms = (now.user + now.system - from.user - from.system) / 1000;
  // The first call is counted from the start of the process, as a user waits for it.
  if (call === 0) first = ms;
  else settled = Math.min(settled, ms);
  hash = resultHash;
}
process.stdout.write(JSON.stringify({ firstMs: first, settledMs: Number.isFinite(settled) ? settled : null, resultHash: hash }));
