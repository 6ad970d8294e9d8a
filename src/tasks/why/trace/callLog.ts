// Records what a strategy reads and which calls it makes at one bar.

import type { ExplainedCall } from '../model/explanation.ts';

/** Maximum number of recorded calls of one bar. Without a limit, a loop over all past values would fill the explanation. */
const MAX_CALLS = 200;

/** The reads and calls of one strategy. */
export class CallLog {
  private readonly recorded = new Map<string, ExplainedCall>();
  private readonly runningCallbacks: string[] = [];
  private omitted = 0;
  /** Names of the callbacks that were called while the log was on. */
  readonly enteredCallbacks = new Set<string>();
  /** True while reads and calls are recorded. */
  isOn = false;

  /** Removes all records. */
  clear(): void {
    this.recorded.clear();
    this.enteredCallbacks.clear();
    this.omitted = 0;
  }

  /** Runs a callback of the strategy under its name. */
  runCallback<T>(name: string, run: () => T): T {
    if (!this.isOn) return run();
    this.enteredCallbacks.add(name);
    this.runningCallbacks.push(name);
    try {
      return run();
    } finally {
      this.runningCallbacks.pop();
    }
  }

  /** Records a read. The same value, read again in the same callback, is recorded once. */
  read(text: string, result: string): void {
    this.add({ during: this.currentCallback, kind: 'read', text, result });
  }
  /** Records a finished call. */
  call(text: string, result: string): void {
    this.add({ during: this.currentCallback, kind: 'call', text, result });
  }

  /** Returns the recorded calls. `omitted`: the number of calls beyond the limit. */
  all(): { readonly calls: readonly ExplainedCall[]; readonly omitted: number } {
    return { calls: [...this.recorded.values()], omitted: this.omitted };
  }

  /** Name of the callback that runs. */
  private get currentCallback(): string {
    return this.runningCallbacks.at(-1) ?? 'a timer or onStart';
  }
  private add(call: ExplainedCall): void {
    if (!this.isOn) return;
    const key = call.kind === 'read' ? `${call.during} ${call.text} ${call.result}` : String(this.recorded.size);
    if (this.recorded.has(key)) return;
    if (this.recorded.size < MAX_CALLS) this.recorded.set(key, call);
    else this.omitted++;
  }
}
