// Runs an unchanged live bot and kills it at a journal record: `node botToKill.mjs <main.js> <KIND> <step> <nth> <config> ...`.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const [main, kind, step, nth, ...botArgs] = process.argv.slice(2);
const { writeSync, fdatasync } = fs;
const mark = `"k":"${kind}"`;
let writesLeft = Number(nth);
/** Descriptor of the file that has the record; null before the record is written. */
let recordFile = null;

// Ends the process like `kill -9`: no handler runs, and no byte is flushed.
const kill = () => process.kill(process.pid, 'SIGKILL');

fs.writeSync = (descriptor, bytes, ...args) => {
  if (recordFile === null && typeof bytes !== 'string' && Buffer.from(bytes).includes(mark) && --writesLeft === 0) {
    recordFile = descriptor;
    if (step === 'before') kill();
    if (step === 'torn') {
      const text = Buffer.from(bytes);
      writeSync(descriptor, text.subarray(0, text.indexOf(mark) + mark.length));
      kill();
    }
  }
  return writeSync(descriptor, bytes, ...args);
};
fs.fdatasync = (descriptor, done) => {
  if (descriptor === recordFile && step === 'written') kill();
  fdatasync(descriptor, (error) => {
    if (descriptor === recordFile && step === 'lasting') kill();
    done(error);
  });
};
syncBuiltinESMExports();

process.argv.splice(1, process.argv.length - 1, main, ...botArgs);
await import(pathToFileURL(main).href);
