// The option that takes one text: what most options of the commands are, with their own description beside it.

export const text = { type: 'string', requiresArg: true } as const;
