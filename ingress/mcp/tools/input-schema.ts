import { z } from 'zod'
import type { Operation } from '../../http/area.ts'
import { type Json, markSecret } from '../../http/openapi/schemas.ts'

/** Where an argument of a tool goes in the request of its operation. */
export type Place = 'path' | 'query' | 'body' | 'header'

export interface InputSchema {
  type: 'object'
  properties: Record<string, Json>
  required: string[]
  additionalProperties: false
  [keyword: string]: unknown
}

export interface ToolInput {
  schema: InputSchema
  places: ReadonlyMap<string, Place>
  /** Fields of the operation that the tool does not offer. */
  withheld: ReadonlySet<string>
}

/** Argument of tools whose operation accepts an idempotency key in its header. */
export const idempotencyArgument = 'idempotency_key'

/** Returns the arguments of an operation’s tool. Throws if two parts of the request have a field of the same name. */
export function describeInput({ id, path, route }: Operation): ToolInput {
  const only = route.tool?.only && new Set(route.tool.only)
  const places = new Map<string, Place>()
  const withheld = new Set<string>()
  const schema: InputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false }

  function add(place: Place, name: string, part: Json, isRequired: boolean): void {
    if (places.has(name)) throw new Error(`${id} has two fields ${name}, so it cannot be a tool.`)
    if (place !== 'path' && only && !only.has(name)) {
      withheld.add(name)
      return
    }
    places.set(name, place)
    schema.properties[name] = part
    if (isRequired) schema.required.push(name)
  }

  for (const name of namesIn(path)) add('path', name, paramSchema(route.params, name), true)
  for (const [place, fields] of [
    ['query', route.query],
    ['body', route.body],
  ] as const) {
    if (!fields) continue
    const { properties = {}, required = [] } = toPlainSchema(fields)
    const needed = new Set(required as string[])
    for (const [name, part] of Object.entries(properties as Record<string, Json>)) {
      add(place, name, part, needed.has(name))
    }
  }
  if (route.idempotent && !places.has(idempotencyArgument) && !withheld.has(idempotencyArgument)) {
    add('header', idempotencyArgument, keySchema, false)
  }
  for (const name of only ?? []) if (!places.has(name)) throw new Error(`${id} has no field ${name} for its tool.`)
  return { schema, places, withheld }
}

export const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

const keySchema: Json = {
  type: 'string',
  maxLength: 255,
  description: 'Any unique text. A repeated call with the same key has no further effect and returns the first result.',
}

function paramSchema(params: z.ZodObject | undefined, name: string): Json {
  const schema = params?.shape[name] as z.ZodType | undefined
  return schema ? toPlainSchema(schema) : { type: 'string' }
}

/** Converts a schema to JSON Schema without references, because some clients do not resolve them. */
function toPlainSchema(schema: z.ZodType): Json {
  const {
    $defs = {},
    $schema: _,
    ...made
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => markSecret(jsonSchema),
  }) as Json & { $defs?: Record<string, Json> }
  return withDefinitions(made, $defs as Record<string, Json>, []) as Json
}

/** Replaces references by their definitions. A reference to an enclosing definition becomes a schema for any value. */
function withDefinitions(value: unknown, definitions: Record<string, Json>, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((part) => withDefinitions(part, definitions, open))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json
  const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : undefined
  if (name !== undefined) {
    if (open.includes(name)) return {}
    const { id: _, ...definition } = definitions[name] ?? {}
    return withDefinitions({ ...definition, ...rest }, definitions, [...open, name])
  }
  return Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, withDefinitions(part, definitions, open)]))
}
