// Tasks: work that waits without promises. A task runs in its caller's stack up to its first wait, then in the stack of the callback.

/** Begins a wait. Gets the function that continues the work, and returns a function that ends the wait early. */
type Wait = (resume: () => void) => () => void;

/** The work of a task, as a generator. `yield*` runs one work inside another and returns its result. */
export type Work<T> = Generator<Wait, T, void>;

/** Work that is running. */
export interface Task<T> {
  /** True once it has a result, has thrown or was cancelled. */
  readonly isOver: boolean;
  /** Ends the task without a result: ends its wait and runs its `finally` blocks. Has no effect once the task has ended. */
  cancel(): void;
  /** Calls `listener` once with the result, now if there is one already. Never calls it after a cancel or an error. */
  whenOver(listener: (result: T) => void): void;
}

/** A task that has started. */
class RunningTask<T> implements Task<T> {
  isOver = false;
  private readonly work: Work<T>;
  private readonly listeners: ((result: T) => void)[] = [];
  private result: { readonly value: T } | null = null;
  private endWait: (() => void) | null = null;
  private isRunning = false;

  constructor(work: Work<T>) {
    this.work = work;
  }

  whenOver(listener: (result: T) => void): void {
    if (this.result === null) this.listeners.push(listener);
    else listener(this.result.value);
  }
  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    // A task that cancels itself ends at its next wait.
    if (!this.isRunning) this.abandon();
  }

  /** Runs up to the next wait or the end. */
  readonly run = (): void => {
    if (this.isOver) return;
    this.endWait = null;
    const { done, value } = this.step();
    if (done === true) this.finish(value);
    else {
      this.endWait = value(this.run);
      if (this.isOver) this.abandon();
    }
  };

  /** Runs the work up to its next wait. A task whose work throws has ended. */
  private step(): IteratorResult<Wait, T> {
    this.isRunning = true;
    try {
      return this.work.next();
    } catch (error) {
      this.isOver = true;
      throw error;
    } finally {
      this.isRunning = false;
    }
  }
  /** Ends the current wait, and runs the `finally` blocks of the work. */
  private abandon(): void {
    const endWait = this.endWait;
    this.endWait = null;
    endWait?.();
    this.work.return(undefined as T);
  }
  /** Stores the result, and passes it to the listeners. */
  private finish(value: T): void {
    if (this.isOver) return;
    this.isOver = true;
    this.result = { value };
    for (const listener of this.listeners.splice(0)) listener(value);
  }
}

/** Runs the work up to its first wait, now. An error of the work is thrown here, or later in the callback that continues it. */
export function start<T>(work: Work<T>): Task<T> {
  const task = new RunningTask(work);
  task.run();
  return task;
}

/**
 * Waits for one callback. `begin` runs at once. It gets the callback, whose first call counts, and returns a function that ends the wait.
 */
export function* pending<T>(begin: (done: (value: T) => void) => () => void): Work<T> {
  const wait: { result: { readonly value: T } | null; resume: (() => void) | null } = { result: null, resume: null };
  const endWait = begin((value) => {
    if (wait.result !== null) return;
    wait.result = { value };
    wait.resume?.();
  });
  if (wait.result === null) {
    yield (resume) => {
      wait.resume = resume;
      return endWait;
    };
  }
  return wait.result!.value;
}

/** Waits for a running task. A cancel ends this wait, not the task. */
export const resultOf = <T>(task: Task<T>): Work<T> =>
  pending<T>((done) => {
    task.whenOver(done);
    return () => {};
  });

/** Returns work with a result that needs no wait. */
export const immediate = <T>(result: T): Work<T> =>
  pending<T>((done) => {
    done(result);
    return () => {};
  });

/** Starts all works in sequence, lets them run at the same time, and returns their results in the same sequence. */
export function* all<T>(works: readonly Work<T>[]): Work<readonly T[]> {
  const results: T[] = [];
  let unfinished = works.length;
  if (unfinished === 0) return results;
  return yield* pending<readonly T[]>((done) => {
    const tasks = works.map((work, index) => {
      const task = start(work);
      task.whenOver((result) => {
        results[index] = result;
        if (--unfinished === 0) done(results);
      });
      return task;
    });
    return () => {
      for (const task of tasks) task.cancel();
    };
  });
}

/** Waits for `ms` milliseconds of the scheduler. */
export function* sleep(
  scheduler: { readonly nowMs: number; at(timeMs: number, run: () => void): number; cancel(handle: number): void },
  ms: number,
): Work<void> {
  yield* pending<void>((done) => {
    const handle = scheduler.at(scheduler.nowMs + ms, done);
    return () => scheduler.cancel(handle);
  });
}
