// Declares the schema of the used part of OpenAPI 3.1, written from the OpenAPI specification. Other members are invalid.

const text = { type: 'string', minLength: 1 };
/** Returns the schema of an object with these members and no others. */
const closed = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required, additionalProperties: false });
/** Returns the schema of an object whose members have any names of one form. */
const mapOf = (valueSchema: object, names = '^[A-Za-z0-9._-]+$') => ({
  type: 'object',
  patternProperties: { [names]: valueSchema },
  additionalProperties: false,
});
const schema = { type: ['object', 'boolean'] };
const reference = closed({ $ref: { type: 'string', pattern: '^#/components/' } }, ['$ref']);
const mediaType = closed({ schema, example: {}, examples: mapOf(closed({ value: {} }, ['value'])) }, ['schema']);
const content = mapOf(mediaType, '^application/json$');
const response = closed({ description: text, content }, ['description']);
const parameter = closed(
  { name: text, in: { enum: ['query', 'header', 'path', 'cookie'] }, required: { type: 'boolean' }, description: text, schema },
  ['name', 'in', 'schema'],
);
const operation = {
  ...closed(
    {
      operationId: text,
      tags: { type: 'array', items: text },
      summary: text,
      description: text,
      parameters: { type: 'array', items: parameter },
      requestBody: closed({ required: { type: 'boolean' }, content }, ['content']),
      responses: mapOf({ anyOf: [reference, response] }, '^([1-5]\\d\\d|[1-5]XX|default)$'),
      security: { type: 'array', items: mapOf({ type: 'array', items: text }) },
    },
    ['operationId', 'responses'],
  ),
  patternProperties: { '^x-': {} },
};

/** The schema of a whole document. */
export const OPEN_API_SCHEMA = closed(
  {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: closed({ title: text, version: text, description: text }, ['title', 'version']),
    servers: { type: 'array', items: closed({ url: text, description: text }, ['url']) },
    tags: { type: 'array', items: closed({ name: text, description: text }, ['name']) },
    paths: mapOf(closed({ get: operation, post: operation }, []), '^/'),
    components: closed(
      {
        schemas: mapOf(schema),
        responses: mapOf(response),
        securitySchemes: mapOf(
          closed({ type: { enum: ['apiKey'] }, in: { enum: ['header', 'query', 'cookie'] }, name: text, description: text }, [
            'type',
            'in',
            'name',
          ]),
        ),
      },
      [],
    ),
  },
  ['openapi', 'info', 'paths'],
);
