// Computes a value when it is first needed, and only once.

/** Returns a function that calls `compute` at its first call and returns that result at every call. An error is not kept. */
export function once<T>(compute: () => T): () => T {
  let kept: { readonly result: T } | null = null;
  return () => (kept ??= { result: compute() }).result;
}
