// Changes rows of replies, as a replica of the exchange that lags would have them. Rows stay text, as ids have more digits than a double.

/** Returns a reply with each row of an order or a trade as `change` returns it; null leaves the row out. */
export function changeRows(body: string, change: (row: string) => string | null): string {
  const keptRows: string[] = [];
  let isChanged = false;
  const listStart = body.indexOf('[');
  const rows = body.match(/\{[^{}]*\}/g) ?? [];
  for (const row of rows) {
    const changedRow = change(row);
    if (changedRow !== null) keptRows.push(changedRow);
    isChanged ||= changedRow !== row;
  }
  if (!isChanged) return body;
  return listStart < 0
    ? (keptRows[0] ?? body)
    : `${body.slice(0, listStart)}[${keptRows.join(',')}]${body.slice(body.lastIndexOf(']') + 1)}`;
}

/** Returns a number of a row as text; '' if the row has none of this name. */
export const fieldOf = (row: string, name: string): string => new RegExp(`"${name}":"?([^",}]+)`).exec(row)?.[1] ?? '';

/** Returns the id of the account's own order in the row of a trade. */
export const ownOrderOf = (row: string): string => fieldOf(row, fieldOf(row, 'isBuyer') === 'true' ? 'bidId' : 'askId');

/** Start value and prime of the hash FNV-1a with 32 bits. */
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/** Returns a number in [0, 1) that depends on the text alone: its hash, with the high bits mixed into the low ones. */
export function shareOf(text: string): number {
  let state = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), FNV_PRIME) >>> 0;
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
}
