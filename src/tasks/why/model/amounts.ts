// Amounts as the files of a run folder have them: exact decimals with all digits of their instrument.

/** Returns a whole number of 10^-digits as a decimal with that many digits. */
export function explainedAmountText(scaled: number, digits: number): string {
  const text = String(Math.abs(scaled)).padStart(digits + 1, '0');
  const sign = scaled < 0 ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
