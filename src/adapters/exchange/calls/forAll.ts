// Runs something that calls back for each of several, and calls back once when all of them have.

/** `done` is called once, with what each has said; within this call where all call back within it. */
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
