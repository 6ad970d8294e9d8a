// Runs work now and reports its outcome later, so that other work can start in between.

/** Runs `work` at once. The returned function returns its value or throws its error. */
export function deferOutcome<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
