// Changes rows of replies, as a replica of the exchange that lags would have them. Rows stay text, as ids have more digits than a double.

/** Returns a reply with each row of an order or a trade as `change` returns it; null leaves the row out. */
export function changeRows(body: string, change: (row: string) => string | null): string {
  const left: string[] = [];
  let isChanged = false;
  const start = body.indexOf('[');
  const rows = body.match(/\{[^{}]*\}/g) ?? [];
  for (const row of rows) {
    const changed = change(row);
    if (changed !== null) left.push(changed);
    isChanged ||= changed !== row;
  }
  if (!isChanged) return body;
  return start < 0 ? (left[0] ?? body) : `${body.slice(0, start)}[${left.join(',')}]${body.slice(body.lastIndexOf(']') + 1)}`;
}

/** Returns a number of a row as text; '' if the row has none of this name. */
export const fieldOf = (row: string, name: string): string => new RegExp(`"${name}":"?([^",}]+)`).exec(row)?.[1] ?? '';

/** Returns the id of the account's own order in the row of a trade. */
export const ownOrderOf = (row: string): string => fieldOf(row, fieldOf(row, 'isBuyer') === 'true' ? 'bidId' : 'askId');

/** Returns a number in [0, 1) that depends on the text alone. */
export function shareOf(text: string): number {
  let state = 2_166_136_261;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 16_777_619) >>> 0;
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
}
