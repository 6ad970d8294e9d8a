// Names of the files of a journal: journal-000001.jsonl and on, without gaps.

const PATTERN = /^journal-(\d{6,9})\.jsonl$/;

export const segmentName = (number: number): string => `journal-${String(number).padStart(6, '0')}.jsonl`;

/** The number of a segment; null for a file that is none. */
export function segmentNumber(name: string): number | null {
  const number = Number(PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && segmentName(number) === name ? number : null;
}
