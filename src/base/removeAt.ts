// Removes an element of a list without allocating memory.

/**
 * Removes the element at `at`; the others keep their sequence. An index outside the list removes nothing. `splice` would allocate an array.
 */
export function removeAt(list: unknown[], at: number): void {
  if (!(at >= 0 && at < list.length)) return;
  for (let next = at + 1; next < list.length; next++) list[next - 1] = list[next];
  list.pop();
}
