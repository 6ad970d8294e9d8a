// Adds the items of one list to another one. A list that is spread into a call of `push` may be longer than the stack has room for.

/** Adds `items` to the end of `list`, in their order. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
