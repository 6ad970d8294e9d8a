// Names journal files: journal-000001.jsonl and so on, without gaps.

const SEGMENT_NAME_PATTERN = /^journal-(\d{6,9})\.jsonl$/;

/** Returns the file name of a segment. */
export const segmentName = (number: number): string => `journal-${String(number).padStart(6, '0')}.jsonl`;

/** Returns the number of a segment, or null for any other file. */
export function segmentNumber(name: string): number | null {
  const number = Number(SEGMENT_NAME_PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && segmentName(number) === name ? number : null;
}
