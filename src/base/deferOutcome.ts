// Work that is done now and whose outcome is told later, while something else is under way.

/** Runs `work` at once; the returned function gives its value or throws its error. */
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
