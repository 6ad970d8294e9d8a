// Preloaded into a process of the benchmark: prints at its end the CPU time (ms) and the peak resident size (MB) of the process.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    // Not getrusage: there the parent's peak is counted to the child. Systems without the file have no figure.
    const [, peak = NaN] = /VmHWM:\s*(\d+)/.exec(statusText()) ?? [];
    writeSync(2, `\n{"cpuMs":${(user + system) / 1000},"peakMb":${Number.isNaN(Number(peak)) ? null : Number(peak) / 1024}}\n`);
  });
}

function statusText() {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
