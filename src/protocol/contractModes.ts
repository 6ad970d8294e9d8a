// The modes of a contract that the exchange writes as numbers: the margin mode in `positionType`, the position mode in `positionModel`.

/** The number of each margin mode. */
export const POSITION_TYPE = { cross: 1, isolated: 2 } as const;
export type PositionType = (typeof POSITION_TYPE)[keyof typeof POSITION_TYPE];

/** The number of each position mode. */
export const POSITION_MODEL = { net: 1, twoWay: 2 } as const;
export type PositionModel = (typeof POSITION_MODEL)[keyof typeof POSITION_MODEL];

/** Returns the number of a margin mode. */
export const positionTypeOf = (isCross: boolean): PositionType => (isCross ? POSITION_TYPE.cross : POSITION_TYPE.isolated);

/** Returns the name of the margin mode with a number. Null for a number that the specification does not have. */
export function marginModeName(positionType: number): 'cross' | 'isolated' | null {
  if (positionType === POSITION_TYPE.cross) return 'cross';
  return positionType === POSITION_TYPE.isolated ? 'isolated' : null;
}

/** Returns leverage and margin mode as text. Null: the exchange has not said it. */
export function marginSettingsText(settings: { readonly leverage: number | null; readonly positionType: number | null }): string {
  const { leverage, positionType } = settings;
  const modeName = positionType === null ? null : (marginModeName(positionType) ?? `unknown (${positionType})`);
  return `leverage ${leverage ?? 'unknown'} and ${modeName ?? 'unknown'} margin`;
}
