import type { Call } from './call.ts'
import { goArguments } from './go-areas.ts'
import { exportedName } from './go-names.ts'
import { GoTypes } from './go-types.ts'
import type { Method } from './methods.ts'

interface Known {
  types: GoTypes
  methods: WeakMap<Method, ReturnType<typeof goArguments>>
}

/** Types of each document. They are declared once, because a document has many methods. */
const known = new WeakMap<object, Known>()

function knownOf(components: Record<string, unknown>): Known {
  const one = known.get(components) ?? { types: new GoTypes(components), methods: new WeakMap() }
  known.set(components, one)
  return one
}

/** Returns a call of the Go client. */
export function goSnippet({ method, body, query, inPath }: Call, components: Record<string, unknown>): string {
  const { types, methods } = knownOf(components)
  const { bodyType, queryType } = methods.get(method) ?? goArguments(method, types)
  methods.set(method, { ...(bodyType ? { bodyType } : {}), ...(queryType ? { queryType } : {}) })
  const literal = (type: string, value: unknown) => `&${new Literals(types).of(type, value, '')}`
  const given = [
    'ctx',
    ...inPath.map((one) => JSON.stringify(one)),
    ...(bodyType ? [literal(bodyType, body ?? {})] : []),
    ...(queryType ? [Object.keys(query).length > 0 ? literal(queryType, query) : 'nil'] : []),
  ]
  const call = `client.${method.node.map(exportedName).join('.')}(${given.join(', ')})`
  if (method.paged) return `list := ${call}\nfor list.Next() {\n\tfmt.Println(list.Item())\n}`
  if (method.streams && !method.reply) return `stream := ${call}\nfor stream.Next() {\n\tfmt.Println(stream.Event())\n}`
  return method.reply || method.text ? `answer, err := ${call}` : `err = ${call}`
}

const plain = new Set(['string', 'int64', 'float64', 'bool', 'any'])

/** Writes values as Go code for their types. */
class Literals {
  readonly #types: GoTypes

  constructor(types: GoTypes) {
    this.#types = types
  }

  of(type: string, value: unknown, indent: string): string {
    const optional = /^Optional\[(.*)\]$/.exec(type)?.[1]
    if (optional) {
      if (value === null) return `millrace.Null[${qualified(optional)}]()`
      return `millrace.Some(${this.#inside(optional, value, indent)})`
    }
    if (type.startsWith('*'))
      return value === null ? 'nil' : `millrace.Ptr(${this.#inside(type.slice(1), value, indent)})`
    const alias = this.#types.aliases.get(type)
    if (alias && !/^(\[\]|map)/.test(alias)) return this.of(alias, value, indent)
    return this.#composite(type, value, indent)
  }

  /** Returns a value whose type Go derives from the value. */
  #inside(type: string, value: unknown, indent: string): string {
    const written = this.of(type, value, indent)
    if (type === 'int64' || type === 'float64') return `${type}(${written})`
    return type === 'any' ? `any(${written})` : written
  }

  #composite(type: string, value: unknown, indent: string): string {
    const list = /^\[\](.*)$/.exec(this.#types.aliases.get(type) ?? type)?.[1]
    if (value === null || value === undefined) return 'nil'
    if (list && Array.isArray(value)) {
      const items = value.map((one) => this.of(list, one, indent))
      return `${qualified(type)}{${items.join(', ')}}`
    }
    if (typeof value !== 'object') return JSON.stringify(value)
    if (type === 'any' && Array.isArray(value)) return this.#composite('[]any', value, indent)
    return this.#fields(type === 'any' ? 'map[string]any' : type, value, indent)
  }

  #fields(type: string, value: object, indent: string): string {
    const deeper = `${indent}\t`
    const struct = this.#types.structs.get(type)
    const inner = /^map\[string\](.*)$/.exec(this.#types.aliases.get(type) ?? type)?.[1] ?? 'any'
    const lines = Object.entries(value).flatMap(([key, one]) => {
      if (!struct) return [`${deeper}${JSON.stringify(key)}: ${this.of(inner, one, deeper)},\n`]
      const field = struct.get(key)
      return field ? [`${deeper}${field.name}: ${this.of(field.type, one, deeper)},\n`] : []
    })
    return lines.length > 0 ? `${qualified(type)}{\n${lines.join('')}${indent}}` : `${qualified(type)}{}`
  }
}

const qualified = (type: string) => (plain.has(type) ? type : type.replace(/\b[A-Z]\w*/g, (name) => `millrace.${name}`))
