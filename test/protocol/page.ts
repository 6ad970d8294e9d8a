// Writes the tables of docs/protocol.md from the endpoint table and the code table.

import { isSafeToRetry, type Param, type Params } from '../../src/protocol/endpoints/endpoint.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { ERROR_CODES, refusesCreate } from '../../src/protocol/errors/errorCodes.ts';

/** Returns the rows of the endpoints: name, call, security, parameters, limit, and whether reads repeat it. */
export const endpointRows = (): readonly string[] =>
  OPS.map((op) => {
    const row = endpointOf(op);
    const { count, windowMs, source } = row.limit;
    const limit = source === 'assumed' ? '' : `${count} / ${windowMs / 1000} s${source === 'dialect' ? ' *' : ''}`;
    return `| \`${op}\` | ${row.method} ${row.path} | ${row.security} | ${namesOf(row.params)} | ${limit} | ${isSafeToRetry(row) ? 'yes' : ''} |`;
  });

/** Returns the names of parameters. Those that a caller may leave out are in brackets. */
const namesOf = (params: Params): string =>
  Object.entries(params)
    .filter(([, { kind }]) => kind !== 'time')
    .map(([name, param]) => (isRequired(param) ? name : `[${name}]`))
    .join(' ');
/** True for a parameter that every call should have. */
const isRequired = ({ need, onlyWith }: Param): boolean => onlyWith === undefined && (need === 'required' || need === 'disputed');

/** Returns the rows of the codes: number, name, meaning for a create, whether a pause helps, and the remedy. */
export const codeRows = (): readonly string[] =>
  ERROR_CODES.map(({ code, name, meaning, http, retry, advice }) => {
    const outcomeOfCreate = refusesCreate(code) ? 'refused' : 'unknown';
    return `| ${code} | ${name ?? ''} | ${meaning} | ${http.join(', ')} | ${outcomeOfCreate} | ${retry} | ${advice} |`;
  });
