// Prints the CPU time (ms) and the peak resident size (MB) of a benchmark process when it exits. The process preloads this file.

import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    // getrusage would count the peak of the parent to the child. Systems without this file have no figure.
    const [, peakKb = NaN] = /VmHWM:\s*(\d+)/.exec(statusText()) ?? [];
    writeSync(2, `\n{"cpuMs":${(user + system) / 1000},"peakMb":${Number.isNaN(Number(peakKb)) ? null : Number(peakKb) / 1024}}\n`);
  });
}

/** Returns the status of this process; empty on systems without it. */
function statusText() {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
