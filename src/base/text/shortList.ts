// Lists names in a message of one line.

/** Maximum number of names in a list. */
const MAX_SHOWN = 5;

/** Returns at most `MAX_SHOWN` names, and how many more there are. */
export function shortList(names: readonly string[]): string {
  const unlistedCount = names.length - MAX_SHOWN;
  return unlistedCount > 0 ? `${names.slice(0, MAX_SHOWN).join(', ')} and ${unlistedCount} more` : names.join(', ');
}
