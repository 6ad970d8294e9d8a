// Runs a callback function for every item and calls back once when all have finished.

/** Calls `done` once with all results: before returning if every callback fires before that. */
export function forAll<T, R>(
  items: Iterable<T>,
  run: (item: T, done: (result: R) => void) => void,
  done: (results: readonly R[]) => void,
): void {
  const list = Array.from(items);
  const results: R[] = [];
  let open = list.length + 1;
  const close = (): void => {
    if (--open === 0) done(results);
  };
  for (const item of list) {
    run(item, (result) => {
      results.push(result);
      close();
    });
  }
  close();
}
