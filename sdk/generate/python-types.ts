import { className, isPlainName, pythonText } from './python-names.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema's shape is its own specification's.
type Json = any

const head = `# Made by \`npm run sdk\` from the document of the API.
from __future__ import annotations

`

export class PythonTypes {
  readonly #schemas: Record<string, Json>
  readonly #modules = new Map<string, Map<string, string>>()

  constructor(schemas: Record<string, Json>) {
    this.#schemas = schemas
    for (const [id, schema] of Object.entries(schemas)) {
      if (!id.includes('.')) continue
      const [area, name] = split(id)
      this.#name(area, name, schema)
    }
  }

  /** Returns the type of a schema as it is written in a module that imports the types of `area` as `area_types`. */
  of(schema: Json, area: string, name: string): string {
    return this.#expression(schema, { area, name, local: false })
  }

  resolve(schema: Json): Json {
    return schema?.$ref ? this.resolve(this.#schemas[refOf(schema)]) : schema
  }

  modules(): Map<string, string> {
    return new Map([...this.#modules].map(([area, types]) => [area, moduleText(area, types)]))
  }

  #expression(schema: Json, at: Place): string {
    if (schema === undefined || schema === true) return 'Any'
    if (schema.$ref) return this.#reference(refOf(schema), at)
    if ('const' in schema) return `Literal[${literal(schema.const)}]`
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`
    const choices: Json[] | undefined = schema.anyOf ?? schema.oneOf
    if (choices && !schema.properties) return this.#union(choices, at)
    if (Array.isArray(schema.type)) {
      return this.#union(
        schema.type.map((type: string) => ({ ...schema, type })),
        at,
      )
    }
    if (schema.type === 'array') return `List[${this.#expression(schema.items, { ...at, name: `${at.name}Item` })}]`
    if (schema.type === 'object' || schema.properties) return this.#object(schema, at)
    return scalars[schema.type as string] ?? 'Any'
  }

  #union(choices: Json[], at: Place): string {
    const parts = choices.map((choice, i) =>
      this.#expression(choice, {
        ...at,
        name: choices.filter(isObject).length > 1 ? `${at.name}${nameOfChoice(choice, i)}` : at.name,
      }),
    )
    const distinct = [...new Set(parts)].sort((a, b) => Number(a === 'None') - Number(b === 'None'))
    return distinct.includes('Any') ? 'Any' : distinct.join(' | ')
  }

  #object(schema: Json, at: Place): string {
    const { properties = {}, additionalProperties: others } = schema
    if (others && typeof others === 'object') {
      const known = Object.keys(properties).length > 0
      return `Dict[str, ${known ? 'Any' : this.#expression(others, { ...at, name: `${at.name}Value` })}]`
    }
    if (Object.keys(properties).length === 0) return 'Dict[str, Any]'
    return this.#local(this.#name(at.area, at.name, schema), at)
  }

  #reference(id: string, at: Place): string {
    const [area, name] = split(id)
    return area === at.area ? this.#local(name, at) : `${area}_types.${name}`
  }

  #local = (name: string, at: Place) => (at.local ? name : `${at.area}_types.${name}`)

  /** Declares a type with this name, or with a number appended if another type has it. Returns the name. */
  #name(area: string, wanted: string, schema: Json): string {
    const types = this.#modules.get(area) ?? new Map<string, string>()
    this.#modules.set(area, types)
    let name = wanted
    for (let n = 2; types.has(name) || this.#isComponent(area, name, schema); n++) name = `${wanted}${n}`
    types.set(name, '')
    types.set(name, this.#declaration(schema, { area, name, local: true }))
    return name
  }

  #isComponent(area: string, name: string, schema: Json): boolean {
    const component = this.#schemas[`${area}.${name}`]
    return component !== undefined && component !== schema
  }

  #declaration(schema: Json, at: Place): string {
    if (!schema.properties) return `${at.name}: TypeAlias = ${quoted(this.#expression(schema, at))}\n`
    const required = new Set<string>(schema.required ?? [])
    const fields = Object.entries<Json>(schema.properties).map(([key, value]) => {
      const type = this.#expression(value, { ...at, name: at.name + className(key) })
      return { key, type: required.has(key) ? type : `NotRequired[${type}]`, text: value.description as string }
    })
    if (!fields.every(({ key }) => isPlainName(key))) {
      const entries = fields.map(({ key, type }) => `        ${literal(key)}: ${quoted(type)},\n`)
      return `${at.name} = TypedDict(\n    ${literal(at.name)},\n    {\n${entries.join('')}    },\n)\n`
    }
    const lines = fields.map(({ key, type, text }) => `    ${key}: ${type}\n${docOf(text)}`)
    return `class ${at.name}(TypedDict):\n${docOf(schema.description)}${lines.join('')}`
  }
}

interface Place {
  area: string
  name: string
  /** True if the text is for the area's own module. */
  local: boolean
}

const scalars: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

const isObject = (schema: Json) => schema.type === 'object' || schema.properties

function nameOfChoice(schema: Json, i: number): string {
  const constant = Object.values<Json>(schema.properties ?? {}).find((value) => typeof value.const === 'string')
  return constant ? className(constant.const) : `${i + 1}`
}

const refOf = (schema: Json): string => schema.$ref.slice('#/components/schemas/'.length)

const split = (id: string) => id.split('.') as [string, string]

export function literal(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

/** Returns a quoted type, so that it can contain names that are declared later. */
const quoted = (type: string) => JSON.stringify(type.replaceAll('"', "'"))

const docOf = (text: string | undefined) => (text ? `    """${pythonText(text)}"""\n` : '')

function moduleText(area: string, types: Map<string, string>): string {
  const body = [...types.values()].join('\n\n')
  const typing = ['Any', 'Dict', 'List', 'Literal', 'NotRequired', 'TypeAlias', 'TypedDict']
  const used = typing.filter((name) => new RegExp(`\\b${name}\\b`).test(body))
  const areas = [...new Set(body.match(/\b\w+(?=_types\.)/g) ?? [])].filter((other) => other !== area).sort()
  const imports = areas.map((other) => `from . import ${other} as ${other}_types\n`)
  return `${head}from typing import ${used.join(', ')}\n${imports.length > 0 ? `\n${imports.join('')}` : ''}\n\n${body}`
}
