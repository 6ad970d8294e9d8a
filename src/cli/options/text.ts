// An option that takes one text. Most options add only a description.

/** An option whose value is text. */
export const text = { type: 'string', requiresArg: true } as const;
