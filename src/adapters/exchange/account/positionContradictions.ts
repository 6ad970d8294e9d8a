// Finds settings of a contract that another client has changed at the exchange while the bot runs. Only its positions show them.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { marginSettingsText } from '../../../protocol/contractModes.ts';
import type { ContractSettingsTarget } from '../calls/types.ts';
import type { PositionRow } from '../calls/venueRows.ts';

/** The settings that the positions of a contract must have. */
export interface ExpectedSettings {
  /** True if the bot trades the contract in net mode. */
  readonly isNet: boolean;
  /** Leverage and margin mode of the config; null before the exchange has confirmed them. */
  readonly settings: Pick<ContractSettingsTarget, 'leverage' | 'positionType'> | null;
}

/**
 * Returns one sentence for each setting that the positions contradict.
 *
 * - A contract in net mode must not have a long and a short position. In two-way mode an order that should reduce one side opens the other. The
 *   sum of both may equal the books, but margin and funding do not.
 * - Another leverage or margin mode moves the price at which a position is liquidated.
 */
export function positionContradictions(
  { wireName }: Instrument,
  rows: readonly PositionRow[],
  { isNet, settings }: ExpectedSettings,
): readonly string[] {
  const openRows = rows.filter(({ volume }) => !new Decimal(volume).isZero());
  const sentences = isNet ? twoSidesSentences(wireName, openRows) : [];
  if (settings === null) return sentences;
  const { leverage, positionType } = settings;
  const otherRow = openRows.find((row) => row.leverage !== leverage || row.positionType !== positionType);
  if (otherRow === undefined) return sentences;
  const shownText = marginSettingsText(otherRow);
  return [
    ...sentences,
    `${wireName}: the position has ${shownText} at the exchange, and the config asks for ${marginSettingsText(settings)}`,
  ];
}

function twoSidesSentences(wireName: string, rows: readonly PositionRow[]): readonly string[] {
  const [long, short] = (['buy', 'sell'] as const).map((side) =>
    rows.reduce((sum, row) => (row.side === side ? sum.plus(new Decimal(row.volume).abs()) : sum), new Decimal(0)),
  );
  if (long!.isZero() || short!.isZero()) return [];
  const positions = `${long!.toFixed()} long and ${short!.toFixed()} short`;
  return [`${wireName}: the exchange has ${positions}: the contract is in two-way mode there, and the bot is in net mode`];
}
