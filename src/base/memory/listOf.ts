// Makes the lists that are made with every bot and read at every order or block.

/**
 * Returns what `make` returns for each element, like `from.map(make)`. Use it for lists of objects that are made with every bot and read at
 * every order or block; numbers belong in typed arrays. Hot: docs/performance.md#one-kind-lists.
 */
export function listOf<From, To extends object | null>(from: readonly From[], make: (item: From, index: number) => To): To[] {
  const list: To[] = [];
  for (let index = 0; index < from.length; index++) list.push(make(from[index]!, index));
  return list;
}
