// Creates lists that are read at every order or block.

/**
 * Returns a list with the result of `make` for each element, like `from.map(make)`. Use it for lists of objects that are created with every
 * bot and read at every order or block. Numbers belong in typed arrays. Hot: docs/performance.md#one-kind-lists.
 */
export function listOf<From, To extends object | null>(from: readonly From[], make: (item: From, index: number) => To): To[] {
  const list: To[] = [];
  for (let index = 0; index < from.length; index++) list.push(make(from[index]!, index));
  return list;
}
