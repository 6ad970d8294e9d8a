// Describes the parameters of calls in OpenAPI: in the query of a GET, in the JSON body of a POST.

import { assertNever } from '../../base/assert.ts';
import { INTERVALS } from '../../model/interval.ts';
import type { Market } from '../../model/instrument.ts';
import { wireInterval } from '../dialect.ts';
import { paramPlace, type Endpoint, type IntegerParam, type Param, type Params } from '../endpoints/endpoint.ts';
import type { JsonSchema } from './valueSchema.ts';

/** Returns the part of an operation for its parameters: `parameters`, `requestBody`, or an empty object. */
export function requestSchema({ params, market, method }: Endpoint): JsonSchema {
  const documented = withoutTimes(params);
  const names = Object.keys(documented);
  if (names.length === 0) return {};
  if (paramPlace({ method }) === 'query') {
    return {
      parameters: Object.entries(documented).map(([name, param]) => ({
        name,
        in: 'query',
        required: isRequired(param),
        description: paramText(param),
        schema: paramSchema(param, market, 'query'),
      })),
    };
  }
  const schema = bodySchema(documented, market);
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

/** Returns the parameters without times, which only a dialect enables. */
const withoutTimes = (params: Params): Params => Object.fromEntries(Object.entries(params).filter(([, { kind }]) => kind !== 'time'));

const isRequired = ({ need, onlyWith }: Param): boolean => onlyWith === undefined && (need === 'required' || need === 'disputed');

/** Returns the schema of the body of a POST. */
function bodySchema(params: Params, market: Market): JsonSchema {
  const entries = Object.entries(params);
  const requiredNames = entries.filter(([, param]) => isRequired(param)).map(([name]) => name);
  const eitherSchemas = entries.filter(([, { need }]) => need === 'either').map(([name]) => ({ required: [name] }));
  const dependencies = entries.flatMap(([name, { onlyWith }]) => {
    if (onlyWith === undefined) return [];
    const hasValue = { properties: { [onlyWith.name]: { const: onlyWith.is } }, required: [onlyWith.name] };
    return [{ anyOf: [{ not: hasValue }, { required: [name] }] }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, param]) => [name, { description: paramText(param), ...paramSchema(param, market, 'body') }]),
    ),
    ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
    ...(eitherSchemas.length > 0 ? { anyOf: eitherSchemas } : {}),
    ...(dependencies.length > 0 ? { allOf: dependencies } : {}),
  };
}

/** Returns the description of a parameter: meaning, unit, range, default and dependency. */
function paramText(param: Param): string {
  const { help, unit = '', need, onlyWith, otherNames = [] } = param;
  return [
    unit === '' ? help : `${help} (${unit})`,
    paramRangeText(param),
    onlyWith === undefined ? '' : `with ${onlyWith.name} ${onlyWith.is} alone, and then required`,
    need === 'either' ? 'at least one of the ids is required' : '',
    need === 'disputed' ? 'required, as the specification has it, though it gives a default' : '',
    otherNames.length === 0 ? '' : `known as ${otherNames.join(', ')} too`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** Returns the valid values of a parameter in words. */
function paramRangeText(param: Param): string {
  switch (param.kind) {
    case 'integer':
      return `${param.min} to ${param.max}${param.default === undefined ? '' : `, ${param.default} by default`}`;
    case 'decimal':
      return 'above 0';
    case 'ids':
    case 'rows':
      return `at most ${param.max}`;
    case 'text':
    case 'choice':
    case 'id':
    case 'interval':
    case 'time':
      return '';
    default:
      return assertNever(param);
  }
}

/** Returns the schema of a parameter. */
function paramSchema(param: Param, market: Market, place: 'query' | 'body'): JsonSchema {
  switch (param.kind) {
    case 'text':
      return param.of === 'clientId'
        ? { type: 'string', pattern: '^[A-Za-z0-9_-]{1,31}$' }
        : { type: 'string', minLength: 1, examples: [market === 'spot' ? 'BTCUSDT' : 'E-BTC-USDT'] };
    case 'choice':
      return { type: param.values.every((value) => typeof value === 'number') ? 'integer' : 'string', enum: param.values };
    case 'integer':
      return integerSchema(param, place);
    case 'decimal':
      return isText(param.wire, place) ? { type: 'string', pattern: '^\\d+(\\.\\d+)?$' } : { type: 'number', exclusiveMinimum: 0 };
    case 'id':
      return isText(param.wire, place) ? { type: 'string', pattern: '^[1-9]\\d{0,30}$' } : { type: 'integer', minimum: 1 };
    case 'interval':
      return { type: 'string', enum: INTERVALS.map((each) => wireInterval(market, each)).filter((name) => name !== null) };
    case 'time':
      return { type: 'integer', minimum: 0 };
    case 'ids':
      return { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, maxItems: param.max };
    case 'rows':
      return { type: 'array', items: bodySchema(param.row, market), minItems: 1, maxItems: param.max };
    default:
      return assertNever(param);
  }
}

/** True if a number is sent as text. Only a body has such numbers. OpenAPI describes every number in a query as a number. */
const isText = (wire: 'number' | 'string', place: 'query' | 'body'): boolean => wire === 'string' && place === 'body';

/** Returns the schema of a whole number. In a body, some whole numbers are text. */
function integerSchema({ wire, min, max, default: byDefault }: IntegerParam, place: 'query' | 'body'): JsonSchema {
  const defaultMember = byDefault === undefined ? {} : { default: isText(wire, place) ? String(byDefault) : byDefault };
  return isText(wire, place)
    ? { type: 'string', pattern: '^[1-9]\\d*$', ...defaultMember }
    : { type: 'integer', minimum: min, maximum: max, ...defaultMember };
}
