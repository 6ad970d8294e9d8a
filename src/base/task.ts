// Tasks: work that waits without promises. A task runs in its caller's stack up to its first wait, then in the stack of what it waits for.

/** Begins a wait. Takes the function that continues the work, and returns the function that gives the wait up. */
type Waiting = (resume: () => void) => () => void;

/** The steps of a task, as a generator. `yield*` runs one work inside another and returns its result. */
export type Work<T> = Generator<Waiting, T, void>;

export interface Task<T> {
  /** True once it has a result, has thrown or was cancelled. */
  readonly isOver: boolean;
  /** Ends it without a result: gives up what it waits for and runs its `finally` blocks. No effect once it has ended. */
  cancel(): void;
  /** Calls `listener` once with the result: at once if there is one, and never after a cancel or an error. */
  whenOver(listener: (result: T) => void): void;
}

class RunningTask<T> implements Task<T> {
  isOver = false;
  private readonly work: Work<T>;
  private readonly listeners: ((result: T) => void)[] = [];
  private result: { readonly value: T } | null = null;
  private giveUp: (() => void) | null = null;
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
    // Its own code has cancelled it: it ends at its next wait.
    if (!this.isRunning) this.leave();
  }

  /** Runs up to the next wait or the end. */
  readonly run = (): void => {
    if (this.isOver) return;
    this.giveUp = null;
    const { done, value } = this.step();
    if (done === true) this.end(value);
    else {
      this.giveUp = value(this.run);
      if (this.isOver) this.leave();
    }
  };

  private step(): IteratorResult<Waiting, T> {
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
  private leave(): void {
    const giveUp = this.giveUp;
    this.giveUp = null;
    giveUp?.();
    this.work.return(undefined as T);
  }
  private end(value: T): void {
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

/** Waits for one callback. `begin` runs at once; it gets the callback, whose first call counts, and returns how to give the wait up. */
export function* pending<T>(begin: (done: (value: T) => void) => () => void): Work<T> {
  const wait: { result: { readonly value: T } | null; resume: (() => void) | null } = { result: null, resume: null };
  const giveUp = begin((value) => {
    if (wait.result !== null) return;
    wait.result = { value };
    wait.resume?.();
  });
  if (wait.result === null) {
    yield (resume) => {
      wait.resume = resume;
      return giveUp;
    };
  }
  return wait.result!.value;
}

/** Waits for a task that runs already. A cancel ends this wait and not the task. */
export const resultOf = <T>(task: Task<T>): Work<T> =>
  pending<T>((done) => {
    task.whenOver(done);
    return () => {};
  });

/** Returns work that has its result without a wait. */
export const immediate = <T>(result: T): Work<T> =>
  pending<T>((done) => {
    done(result);
    return () => {};
  });

/** Runs all works at the same time, started in their order, and returns their results in the same order. */
export function* all<T>(works: readonly Work<T>[]): Work<readonly T[]> {
  const results: T[] = [];
  let open = works.length;
  if (open === 0) return results;
  return yield* pending<readonly T[]>((done) => {
    const tasks = works.map((work, at) => {
      const task = start(work);
      task.whenOver((result) => {
        results[at] = result;
        if (--open === 0) done(results);
      });
      return task;
    });
    return () => {
      for (const task of tasks) task.cancel();
    };
  });
}

/** Waits for `ms` of the scheduler. */
export function* sleep(
  scheduler: { readonly nowMs: number; at(timeMs: number, run: () => void): number; cancel(handle: number): void },
  ms: number,
): Work<void> {
  yield* pending<void>((done) => {
    const handle = scheduler.at(scheduler.nowMs + ms, done);
    return () => scheduler.cancel(handle);
  });
}
