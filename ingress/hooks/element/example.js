const deepest = 8

const texts = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ann@example.com',
  uri: 'https://example.com/',
  uuid: '0198f1c2-7f00-7000-8000-000000000001',
}

/** Returns a value that a JSON Schema describes: its example, its default, its first allowed value, or a sample. */
export function exampleOf(schema, depth = 0) {
  if (typeof schema !== 'object' || schema === null || depth > deepest) return null
  const given = givenIn(schema)
  if (given !== undefined) return given
  const [first] = schema.oneOf ?? schema.anyOf ?? []
  if (first) return exampleOf(first, depth + 1)
  const type = schema.properties ? 'object' : [schema.type].flat()[0]
  return (samples[type] ?? (() => null))(schema, depth)
}

function givenIn({ examples, example, default: usual, const: only, enum: options }) {
  return [examples?.[0], example, usual, only, options?.[0]].find((value) => value !== undefined)
}

const samples = {
  object: ({ properties = {} }, depth) =>
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, exampleOf(part, depth + 1)])),
  array: ({ items }, depth) => (items ? [exampleOf(items, depth + 1)] : []),
  integer: ({ minimum = 1 }) => minimum,
  number: ({ minimum = 1 }) => minimum,
  boolean: () => true,
  string: ({ format }) => texts[format] ?? 'text',
}
