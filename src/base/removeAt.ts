// Removes an element of a list without allocating memory.

/**
 * Removes the element at `index`; the others keep their sequence. An index outside the list removes nothing. `splice` would allocate an array.
 */
export function removeAt(list: unknown[], index: number): void {
  if (!(index >= 0 && index < list.length)) return;
  for (let next = index + 1; next < list.length; next++) list[next - 1] = list[next];
  list.pop();
}
