// A live bot that dies at a record: `node botToKill.mjs <main.js> <KIND> <step> <nth> <config> ...`; the program itself is unchanged.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const [main, kind, step, nth, ...rest] = process.argv.slice(2);
const { writeSync, fdatasync } = fs;
const mark = `"k":"${kind}"`;
let left = Number(nth);
/** The file with the record in it. */
let written = null;

// As `kill -9` does: no handler runs, no byte is flushed.
const die = () => process.kill(process.pid, 'SIGKILL');

fs.writeSync = (descriptor, bytes, ...more) => {
  if (written === null && typeof bytes !== 'string' && Buffer.from(bytes).includes(mark) && --left === 0) {
    written = descriptor;
    if (step === 'before') die();
    if (step === 'torn') {
      const text = Buffer.from(bytes);
      writeSync(descriptor, text.subarray(0, text.indexOf(mark) + mark.length));
      die();
    }
  }
  return writeSync(descriptor, bytes, ...more);
};
fs.fdatasync = (descriptor, done) => {
  if (descriptor === written && step === 'written') die();
  fdatasync(descriptor, (error) => {
    if (descriptor === written && step === 'lasting') die();
    done(error);
  });
};
syncBuiltinESMExports();

process.argv.splice(1, process.argv.length - 1, main, ...rest);
await import(pathToFileURL(main).href);
