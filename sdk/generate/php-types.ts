import { phpClass } from './php-names.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema's shape is its own specification's.
type Json = any

const scalars: Record<string, string> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'null',
}

const refOf = (schema: Json): string => schema.$ref.slice('#/components/schemas/'.length)

const split = (id: string) => id.split('.') as [string, string]

/** Name of an imported type: `push.Message` is `PushMessage`. */
const alias = (id: string) => split(id).map(phpClass).join('')

/** Writes schemas as array shapes of PHPStan. */
export class PhpTypes {
  readonly #schemas: Record<string, Json>
  readonly #circular: Set<string>

  constructor(schemas: Record<string, Json>) {
    this.#schemas = schemas
    this.#circular = new Set(Object.keys(schemas).filter((id) => reaches(schemas, id, id)))
  }

  resolve(schema: Json): Json {
    return schema?.$ref ? this.resolve(this.#schemas[refOf(schema)]) : schema
  }

  of(schema: Json): string {
    if (schema === undefined || schema === true) return 'mixed'
    if (schema.$ref) return this.#circular.has(refOf(schema)) ? 'array<string, mixed>' : alias(refOf(schema))
    if ('const' in schema) return literal(schema.const)
    if (schema.enum) return schema.enum.map(literal).join('|')
    const choices = choicesOf(schema)
    if (choices) return this.#union(choices)
    if (Array.isArray(schema.type)) return this.#union(schema.type.map((type: string) => ({ ...schema, type })))
    if (schema.type === 'array') return `list<${this.of(schema.items)}>`
    if (schema.type === 'object' || schema.properties) return this.#shape(schema)
    return scalars[schema.type as string] ?? 'mixed'
  }

  #union(choices: Json[]): string {
    const types = [...new Set(choices.map((choice) => this.of(choice)))]
    return types.includes('mixed') ? 'mixed' : types.join('|')
  }

  #shape({ properties = {}, required = [], additionalProperties: others }: Json): string {
    const names = Object.keys(properties)
    if (others && typeof others === 'object') return `array<string, ${names.length > 0 ? 'mixed' : this.of(others)}>`
    if (names.length === 0) return 'array<string, mixed>'
    const fields = names.map((name) => {
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name)
      return `${key}${required.includes(name) ? '' : '?'}: ${this.of(properties[name])}`
    })
    return `array{${fields.join(', ')}}`
  }

  /** Returns the PHP type of an argument or a result. */
  native(schema: Json): string {
    const resolved = this.resolve(schema)
    return resolved?.type === 'array' || resolved?.type === 'object' || resolved?.properties ? 'array' : 'mixed'
  }

  /** Returns one file of types per area. */
  modules(): Map<string, string[]> {
    const areas = new Map<string, string[]>()
    for (const [id, schema] of Object.entries(this.#schemas)) {
      if (!id.includes('.') || this.#circular.has(id)) continue
      const [area] = split(id)
      areas.set(area, [...(areas.get(area) ?? []), `@phpstan-type ${alias(id)} ${this.of(schema)}`])
    }
    return areas
  }

  /** Returns the imports of the types that a text names. `own` is the area whose types need no import. */
  imports(text: string, own?: string): string[] {
    return Object.keys(this.#schemas)
      .filter((id) => id.includes('.') && split(id)[0] !== own && !this.#circular.has(id))
      .filter((id) => new RegExp(`\\b${alias(id)}\\b`).test(text))
      .map((id) => `@phpstan-import-type ${alias(id)} from \\Millrace\\Types\\${phpClass(split(id)[0])}`)
  }
}

const choicesOf = ({ anyOf, oneOf = anyOf, allOf, properties, type }: Json): Json[] | undefined =>
  properties ? undefined : (oneOf ?? (type ? undefined : allOf))

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return value === null ? 'null' : JSON.stringify(value)
}

/** True if a schema refers to another, also over others. */
function reaches(schemas: Record<string, Json>, from: string, to: string, seen = new Set<string>()): boolean {
  for (const next of refsOf(schemas[from])) {
    if (next === to) return true
    if (!seen.has(next) && reaches(schemas, next, to, seen.add(next))) return true
  }
  return false
}

function refsOf(schema: Json): string[] {
  if (schema === null || typeof schema !== 'object') return []
  if (typeof schema.$ref === 'string') return [refOf(schema)]
  return Object.values(schema).flatMap(refsOf)
}
