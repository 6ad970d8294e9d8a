// An option that takes one text. Most options add only a description.

export const text = { type: 'string', requiresArg: true } as const;
