// Tests that messages use the asset's own unit: none shows lots, ticks or smallest units, which only the code counts in.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOMS = ['risk', 'engine', 'orders', 'strategy', 'definition', 'access', 'app', 'tasks', 'cli'];
/** A figure in a text, followed by the name of an internal unit. */
const INTERNAL_UNIT = /\$\{[^}]*\} (base )?(units|lots|ticks)\b/;
/** A line whose message reports a fault of isobar itself. Developers read it, so it may use the units of the code. */
const FAULT = /InvariantError|assert\(/;

/** Returns the lines of a room whose texts name an internal unit. */
function messagesWithUnits(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          INTERNAL_UNIT.test(line) && !FAULT.test(line) ? [`${folder}/${name}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
}

it.each(ROOMS)('no message of src/%s shows a figure in lots, ticks or units', (room) => {
  expect(messagesWithUnits(join('src', room))).toEqual([]);
});
