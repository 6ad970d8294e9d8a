// What `string-width` is in the vendored yargs: its tables of emoji take 25 ms at each command, and the help has letters alone.

/** Columns that `text` takes in a terminal; none of its characters is a wide one. */
export default (text) => [...text].length;
