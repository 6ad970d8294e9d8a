// What a strategy reads and asks for, while it is watched.

import type { ExplainedCall } from '../model/explanation.ts';

/** Limit on noted calls of one bar: a loop over all values of the past would fill the answer. */
const MAX_CALLS = 200;

export class CallLog {
  private readonly noted = new Map<string, ExplainedCall>();
  private readonly during: string[] = [];
  private left = 0;
  /** The callbacks that were called while the log was on. */
  readonly entered = new Set<string>();
  /** False: nothing is noted. */
  isOn = false;

  /** Forgets what was noted. */
  clear(): void {
    this.noted.clear();
    this.entered.clear();
    this.left = 0;
  }

  /** Runs a callback of the strategy under its name. */
  within<T>(name: string, run: () => T): T {
    if (!this.isOn) return run();
    this.entered.add(name);
    this.during.push(name);
    try {
      return run();
    } finally {
      this.during.pop();
    }
  }

  /** Notes what was read. The same value, read again in the same callback, is noted once. */
  read(text: string, result: string): void {
    this.add({ during: this.current, kind: 'read', text, result });
  }
  /** Notes a call, after it was made. */
  call(text: string, result: string): void {
    this.add({ during: this.current, kind: 'call', text, result });
  }

  /** Returns all calls; the number that the limit has left out. */
  all(): { readonly calls: readonly ExplainedCall[]; readonly left: number } {
    return { calls: [...this.noted.values()], left: this.left };
  }

  private get current(): string {
    return this.during.at(-1) ?? 'a timer or onStart';
  }
  private add(call: ExplainedCall): void {
    if (!this.isOn) return;
    const key = call.kind === 'read' ? `${call.during} ${call.text} ${call.result}` : String(this.noted.size);
    if (this.noted.has(key)) return;
    if (this.noted.size < MAX_CALLS) this.noted.set(key, call);
    else this.left++;
  }
}
