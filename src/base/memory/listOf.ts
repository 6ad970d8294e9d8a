// Lists of one kind for V8, whether or not what makes them has been compiled: code that reads them need not be compiled again.

/**
 * What `make` gives for each, like `from.map(make)`. Of lists that are made with every bot and read at every order or block: V8's own
 * `map` makes an array of another kind once its caller is compiled, and whatever reads such a list is thrown away then, and made anew
 * for two kinds. The order path of a sweep's threads was, several times over (2026-11-21, Node 20). A list of objects from here is of
 * one kind always; numbers belong in typed arrays.
 */
export function listOf<From, To extends object | null>(from: readonly From[], make: (of: From, index: number) => To): To[] {
  const list: To[] = [];
  for (let index = 0; index < from.length; index++) list.push(make(from[index]!, index));
  return list;
}
