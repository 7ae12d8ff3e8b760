import type { Parameter } from '../../../sdk/generate/methods.ts'
import { buildSample } from '../../../sdk/generate/samples.ts'
import type { Reference, ReferenceOperation } from './reference.ts'
import type { Components } from './shapes.ts'

/** Value of the variable `base_url`. Each response replaces it by the URL of this server, without a final slash. */
export const baseUrlMark = 'BASE_URL'

/** Returns all operations as a collection in Postman’s format 2.1, one folder per area. */
export function postmanCollection({ operations, components }: Reference): object {
  const areas = new Map(operations.map(({ area }) => [area.name, area.title]))
  return {
    info: {
      name: 'Millrace',
      description: 'Set the variable `api_key` of the collection to your API key.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: baseUrlMark },
      { key: 'api_key', value: '' },
    ],
    item: [...areas].map(([name, title]) => ({
      name: title,
      item: operations.filter(({ area }) => area.name === name).map((operation) => requestOf(operation, components)),
    })),
  }
}

function requestOf({ method, id, scopes }: ReferenceOperation, components: Components): object {
  const body = method.body && (method.body.example ?? buildSample(method.body.schema, components))
  const told = [method.description, `Operation: ${id}.`, scopes.length > 0 && `Scopes: ${scopes.join(', ')}.`]
  return {
    name: method.summary,
    request: {
      method: method.verb,
      description: told.filter(Boolean).join('\n\n'),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: urlOf(method.path, method.pathParameters, method.query, components),
      ...(method.open && { auth: { type: 'noauth' } }),
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, undefined, 2), options: { raw: { language: 'json' } } },
      }),
    },
  }
}

/** Optional query parameters are present but disabled, so that users see them. */
function urlOf(
  path: string,
  inPath: readonly Parameter[],
  query: readonly Parameter[],
  components: Components,
): object {
  const parts = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const required = query.filter((one) => one.required).map(({ name }) => name)
  const values = query.map(({ name, schema, description, required }) => ({
    key: name,
    value: required ? String(buildSample(schema, components)) : '',
    ...(description && { description }),
    ...(!required && { disabled: true }),
  }))
  const search = values.filter(({ key }) => required.includes(key)).map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{base_url}}${parts}${search.length > 0 ? `?${search.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: parts.slice(1).split('/'),
    query: values,
    variable: inPath.map(({ name, description }) => ({ key: name, value: '', ...(description && { description }) })),
  }
}
