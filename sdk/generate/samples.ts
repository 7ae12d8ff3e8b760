// biome-ignore lint/suspicious/noExplicitAny: the schema's shape is its own specification's.
type Schema = any

const formats: Record<string, string> = {
  uuid: '0198c4a2-7d1e-7c3b-9f60-2b1d5e8a4c11',
  email: 'ada@example.com',
  'date-time': '2027-01-31T09:00:00Z',
  date: '2027-01-31',
  uri: 'https://example.com/',
}

/**
 * Returns a value that a schema allows, with only its required fields. `components` are the schemas of its document.
 */
export function buildSample(schema: Schema, components: Record<string, Schema>, depth = 0): unknown {
  if (schema === undefined || depth > 8) return null
  const inner = (part: Schema) => buildSample(part, components, depth + 1)
  if (schema.$ref) return inner(components[schema.$ref.split('/').at(-1)])
  const [first] = schema.examples ?? []
  const given = schema.example ?? first ?? schema.const ?? schema.default ?? schema.enum?.[0]
  if (given !== undefined) return given
  const choice = (schema.oneOf ?? schema.anyOf)?.[0]
  if (choice) return inner(choice)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(inner))
  return typed(schema, inner)
}

function typed(schema: Schema, inner: (part: Schema) => unknown): unknown {
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name: string) => [name, inner(schema.properties?.[name])]))
    case 'array':
      return [inner(schema.items)]
    case 'integer':
    case 'number':
      return leastOf(schema)
    case 'boolean':
      return true
    case 'string':
      return formats[schema.format] ?? 'text'
    default:
      return null
  }
}

/** Returns the smallest number that a schema allows. Returns 1 if the schema has no minimum. */
function leastOf({ minimum, exclusiveMinimum = 0 }: Schema): number {
  const isBound = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER
  return isBound ? minimum : Math.max(1, exclusiveMinimum + 1)
}
