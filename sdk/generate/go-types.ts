import { exportedName, goComment } from './go-names.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema's shape is its own specification's.
type Json = any

interface Place {
  area: string
  name: string
  /** True for a type of requests: its optional fields can be absent or null. */
  sent: boolean
}

const scalars: Record<string, string> = { string: 'string', integer: 'int64', number: 'float64', boolean: 'bool' }

const refOf = (schema: Json): string => schema.$ref.slice('#/components/schemas/'.length)

/** Declares the Go types of schemas, by area. */
export class GoTypes {
  readonly #schemas: Record<string, Json>
  readonly #names = new Set<string>()
  readonly #areas = new Map<string, string[]>()
  /** Fields of each struct by their names in JSON. */
  readonly structs = new Map<string, Map<string, { name: string; type: string }>>()
  /** Types that are not structs by their names. */
  readonly aliases = new Map<string, string>()

  constructor(schemas: Record<string, Json>) {
    this.#schemas = schemas
    const components = Object.entries(schemas).filter(([id]) => id.includes('.'))
    for (const [id] of components) this.#names.add(exportedName(id))
    for (const [id, schema] of components) {
      this.#declare(exportedName(id), schema, { area: id.split('.')[0] as string, name: exportedName(id), sent: false })
    }
  }

  /** Returns the type of a schema. Objects are declared with the name, or with a number after it. */
  of(schema: Json, area: string, name: string, sent: boolean): string {
    return this.#expression(schema, { area, name, sent })
  }

  /** Declares a struct with exactly this name. */
  declare(schema: Json, area: string, name: string, sent: boolean, comment: string): string {
    const free = this.#free(name)
    this.#declare(free, { ...schema, description: schema.description ?? comment }, { area, name: free, sent })
    return free
  }

  resolve(schema: Json): Json {
    return schema?.$ref ? this.resolve(this.#schemas[refOf(schema)]) : schema
  }

  areas(): Map<string, string> {
    return new Map([...this.#areas].map(([area, types]) => [area, types.join('\n')]))
  }

  #free(wanted: string): string {
    let name = wanted
    for (let n = 2; this.#names.has(name); n++) name = `${wanted}${n}`
    this.#names.add(name)
    return name
  }

  #declare(name: string, schema: Json, at: Place): void {
    const types = this.#areas.get(at.area) ?? []
    this.#areas.set(at.area, types)
    const index = types.push('') - 1
    const isStruct = isPlainObject(schema)
    const shape = isStruct ? this.#struct(name, schema, at) : this.#expression(schema, at)
    if (!isStruct) this.aliases.set(name, shape)
    const comment = schema.description ? goComment(`${name}: ${schema.description}`) : ''
    types[index] = `${comment}type ${name} ${shape}\n`
  }

  #expression(schema: Json, at: Place): string {
    if (schema === undefined || schema === true) return 'any'
    if (schema.$ref) return exportedName(refOf(schema))
    if ('const' in schema || schema.enum) return valuesType(schema.enum ?? [schema.const])
    if (Array.isArray(schema.type)) {
      const choices = schema.type.map((type: string) => ({ ...schema, type }))
      return this.#union(choices, at)
    }
    return this.#composed(schema, at)
  }

  #composed(schema: Json, at: Place): string {
    const choices = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf)
    if (choices) return this.#union(choices, at)
    if (schema.allOf && !schema.type) return this.#all(schema.allOf, at)
    if (schema.type === 'array') return `[]${this.#expression(schema.items, { ...at, name: `${at.name}Item` })}`
    if (schema.type === 'object' || schema.properties) return this.#object(schema, at)
    return scalars[schema.type as string] ?? 'any'
  }

  #union(choices: Json[], at: Place): string {
    const values = choices.filter((choice) => choice.type !== 'null' && choice.const !== null)
    const type = this.#choice(values, at)
    return values.length < choices.length ? nullable(type) : type
  }

  #choice(values: Json[], at: Place): string {
    const [only] = values
    if (values.length === 1) return this.#expression(only, at)
    const resolved = values.map((value) => this.resolve(value))
    if (resolved.every(isPlainObject)) return this.#object(this.#merged(resolved, false), at)
    const types = new Set(resolved.map((value) => (isPlainObject(value) ? 'struct' : this.#expression(value, at))))
    return types.size === 1 && !types.has('struct') ? ([...types][0] as string) : 'any'
  }

  #all(parts: Json[], at: Place): string {
    if (parts.some((part) => isPlainObject(this.resolve(part)))) return this.#object(this.#merged(parts, true), at)
    return parts.map((part) => this.#expression(part, at)).find((type) => type !== 'any') ?? 'any'
  }

  /** Returns one object with the fields of all. For a choice, a field is required if all choices require it. */
  #merged(parts: Json[], all: boolean): Json {
    const objects = parts.map((part) => this.resolve(part))
    const properties: Record<string, Json> = {}
    for (const one of objects) {
      for (const [key, value] of Object.entries<Json>(one.properties ?? {})) {
        properties[key] = key in properties ? mergedField(properties[key], value) : value
      }
    }
    const isRequired = (key: string) =>
      all ? objects.some((one) => one.required?.includes(key)) : objects.every((one) => one.required?.includes(key))
    return { type: 'object', properties, required: Object.keys(properties).filter(isRequired) }
  }

  #object(schema: Json, at: Place): string {
    const { properties = {}, additionalProperties: others } = schema
    const known = Object.keys(properties).length > 0
    if (others && typeof others === 'object') {
      return `map[string]${known ? 'any' : this.#expression(others, { ...at, name: `${at.name}Value` })}`
    }
    if (!known) return 'map[string]any'
    const name = this.#free(at.name)
    this.#declare(name, schema, { ...at, name })
    return name
  }

  #struct(own: string, schema: Json, at: Place): string {
    const required = new Set<string>(schema.required ?? [])
    const used = new Set<string>()
    const table = new Map<string, { name: string; type: string }>()
    this.structs.set(own, table)
    const fields = Object.entries<Json>(schema.properties).map(([key, value]) => {
      let name = exportedName(key)
      while (used.has(name)) name = `${name}_`
      used.add(name)
      const type = this.#expression(value, { ...at, name: at.name + exportedName(key) })
      const text = fieldText(value)
      const written = fieldType(type, required.has(key), at.sent)
      table.set(key, { name, type: written })
      return `${text ? goComment(`${name}: ${text}`, '\t') : ''}\t${name} ${written} \`json:"${key}${required.has(key) ? '' : ',omitempty'}"\`\n`
    })
    return `struct {\n${fields.join('\n')}}`
  }
}

function valuesType(values: unknown[]): string {
  const types = new Set(values.map((value) => typeof value))
  if (types.size > 1) return 'any'
  return types.has('string') ? 'string' : types.has('boolean') ? 'bool' : 'any'
}

const isPlainObject = (schema: Json): boolean =>
  schema?.properties !== undefined &&
  Object.keys(schema.properties).length > 0 &&
  (!schema.additionalProperties || typeof schema.additionalProperties !== 'object')

function mergedField(one: Json, other: Json): Json {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  const values = (schema: Json) => schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  const [first, second] = [values(one), values(other)]
  if (first && second) return { enum: [...new Set([...first, ...second])], description: one.description }
  return { anyOf: [one, other], description: one.description }
}

const isNilable = (type: string) => /^(\*|\[\]|map\[|any$)/.test(type)

const nullable = (type: string) => (isNilable(type) ? type : `*${type}`)

function fieldType(type: string, required: boolean, sent: boolean): string {
  if (required) return type
  return sent ? `Optional[${type.replace(/^\*/, '')}]` : nullable(type)
}

function fieldText({ description = '', enum: values, default: usual }: Json): string {
  const ended = description === '' || /[.!?]$/.test(description) ? description : `${description}.`
  const parts = [
    ...(ended ? [ended] : []),
    ...(values ? [`One of ${values.map((one: unknown) => JSON.stringify(one)).join(', ')}.`] : []),
    ...(usual === undefined ? [] : [`Default: ${JSON.stringify(usual)}.`]),
  ]
  return parts.join(' ')
}
