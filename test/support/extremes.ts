export interface Schema {
  type?: string | string[]
  $ref?: string
  enum?: unknown[]
  const?: unknown
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  default?: unknown
}

export interface Walked {
  id: string
  method: string
  path: string
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  body: Schema | undefined
  /** True if it waits for a worker, and there is none. */
  waits: boolean
}

interface Document {
  paths: Record<string, Record<string, Record<string, unknown>>>
  components: { schemas: Record<string, Schema> }
}

export function operationsOf({ paths }: Document): Walked[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId as string,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []) as Walked['parameters'],
      body: (operation.requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content[
        'application/json'
      ]?.schema,
      waits: '504' in (operation.responses as object),
    })),
  )
}

export const someId = '0199aa00-0000-7000-8000-000000000000'

const texts = ['', 'x', '%00', 'é'.repeat(3_000), '\u{1f600}', "' or 1=1 --", '\\', '[', 'null', '../..']
const times = [
  ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59Z'],
  ...['1000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', `2026-01-01T00:00:00.${'1'.repeat(200)}Z`],
]
const days = ['0000-01-01', '0001-01-01', '9999-12-31', '1000-01-01', '2026-02-30']
const numbers = [
  ...[0, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 53), 9e18, 1e19, 1e-320, 1e-300, 1e39, 1e308, 0.1],
]
/** Positions for forged cursors. */
export const places: readonly unknown[] = [
  ...['00000000-0000-0000-0000-000000000000', 0, 2 ** 31, 2 ** 63, 1e308, 1e-320, '\0', '\ud800', null, {}, []],
  ...[{ at: '0000-01-01T00:00:00Z', id: '00000000-0000-0000-0000-000000000000' }, [2 ** 40, 'x'], ['x', 2 ** 40]],
  ...[2 ** 31, 2 ** 53, 1e308, 1.5].flatMap((n) => [
    ...[[n, someId], [someId, n], [n, n], { at: n, id: someId }, { n, id: someId }],
  ]),
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'].flatMap((at) => [
    [at, someId],
    [someId, at],
    { at, id: someId },
  ]),
]

export const cursors: readonly string[] = places.flatMap((key) =>
  ['', 'AAAAAAAA'].map((digest) => Buffer.from(digest + JSON.stringify(key)).toString('base64url')),
)

/** Returns boundary values of a schema, and values beyond them. */
export function extremesOf(schema: Schema, resolve: (schema: Schema) => Schema): unknown[] {
  const { format, type, anyOf, oneOf, minimum, maximum } = resolve(schema)
  const choices = anyOf ?? oneOf
  if (choices) return choices.flatMap((one) => extremesOf(one, resolve))
  const types = [type].flat()
  const found: unknown[] = []
  if (format === 'date-time') found.push(...times)
  if (format === 'date') found.push(...days)
  if (types.includes('integer') || types.includes('number'))
    found.push(...numbers, ...[minimum, maximum].filter((one) => one !== undefined))
  if (types.includes('string')) found.push(...texts)
  if (types.includes('array')) found.push([], Array(300).fill(1), [null])
  if (types.includes('object') || found.length === 0) found.push({}, { '': '' }, null)
  return found
}

/** Returns a valid value of a schema, as far as the schema shows it. */
export function plainOf(schema: Schema, resolve: (schema: Schema) => Schema): unknown {
  const found = resolve(schema)
  if (found.default !== undefined) return found.default
  if (found.const !== undefined) return found.const
  if (found.enum) return found.enum[0]
  const choice = (found.anyOf ?? found.oneOf)?.[0]
  if (choice) return plainOf(choice, resolve)
  switch ([found.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (found.required ?? []).map((name) => [name, plainOf(found.properties?.[name] ?? {}, resolve)]),
      )
    case 'array':
      return Array.from({ length: found.minItems ?? 0 }, () => plainOf(found.items ?? {}, resolve))
    case 'integer':
    case 'number':
      return Math.max(1, found.minimum ?? 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return plainText(found)
  }
}

function plainText({ format, minLength = 1 }: Schema): string {
  if (format === 'date-time') return '2026-01-31T12:00:00Z'
  if (format === 'date') return '2026-01-31'
  if (format === 'uuid' || format === 'guid') return someId
  if (format === 'email') return 'ann@example.net'
  if (format === 'uri') return 'https://example.org/'
  return 'a'.repeat(minLength)
}

export function resolver({ components }: Document): (schema: Schema) => Schema {
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : resolve(components.schemas[decodeURIComponent(name)] ?? {})
  }
  return resolve
}
