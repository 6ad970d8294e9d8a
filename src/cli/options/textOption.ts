// An option that takes one text. Most options add only a description.

/** An option whose value is text. */
export const TEXT_OPTION = { type: 'string', requiresArg: true } as const;
