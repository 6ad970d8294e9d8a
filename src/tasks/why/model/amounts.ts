// Amounts as the files of a run folder have them: exact decimals with all decimals of their instrument.

/** Returns `scaled` x 10^-`decimals` as text with exactly `decimals` decimals after the point. */
export function exactDecimalText(scaled: number, decimals: number): string {
  const text = String(Math.abs(scaled)).padStart(decimals + 1, '0');
  const sign = scaled < 0 ? '-' : '';
  return decimals === 0 ? sign + text : `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}
