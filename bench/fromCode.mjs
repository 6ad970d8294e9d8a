// Runs `isobar/run` for the benchmark. Prints the hash of the result, and the CPU time of the first and of the best later call.

import { backtest } from '../dist/run.js';

const [definition, callCount] = process.argv.slice(2);
let firstCpuMs = 0;
let bestLaterCpuMs = Infinity;
let lastHash = '';
for (let call = 0; call < Number(callCount); call++) {
  // The first call is counted from the start of the process, because a user waits for that too.
  const start = call === 0 ? { user: 0, system: 0 } : process.cpuUsage();
  const { metrics, resultHash } = await backtest({ definition });
  if (metrics.sharpe === null) throw new Error('a run without figures measures nothing');
  const end = process.cpuUsage();
  const cpuMs = (end.user + end.system - start.user - start.system) / 1000;
  if (call === 0) firstCpuMs = cpuMs;
  else bestLaterCpuMs = Math.min(bestLaterCpuMs, cpuMs);
  lastHash = resultHash;
}
// With a single call there is no later one.
const settledCpuMs = Number.isFinite(bestLaterCpuMs) ? bestLaterCpuMs : null;
process.stdout.write(JSON.stringify({ firstCpuMs, settledCpuMs, resultHash: lastHash }));
