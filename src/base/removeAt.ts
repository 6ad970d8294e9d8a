/**
 * Removes the element at `at`; the others keep their order. A place outside the list removes nothing. `splice` makes an array of what it
 * removes, at each order that ends.
 */
export function removeAt(list: unknown[], at: number): void {
  if (!(at >= 0 && at < list.length)) return;
  for (let next = at + 1; next < list.length; next++) list[next - 1] = list[next];
  list.pop();
}
