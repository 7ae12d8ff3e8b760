import { z } from 'zod'

/** Included in every secret value, and in every part of a URL that can be secret. */
export const planted = 'zzplanted'

interface Shape {
  type?: string
  $ref?: string
  $defs?: Record<string, Shape>
  const?: unknown
  enum?: unknown[]
  format?: string
  description?: string
  secret?: boolean
  properties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  items?: Shape
  prefixItems?: Shape[]
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

/** Names and descriptions that suggest a secret without a mark. */
const names =
  /(secret|token|passphrase|password|credentials?|private_?key|streamKey|hlsUrl|embedUrl|(whep|join|upload|download|preview|prompt)_?url)$/i
const words = /this once|shown once|shown in this answer/i

/** Returns a value of a schema with a planted text for each secret. For a union, uses option `n`. */
export function sampleOf(schema: z.ZodType, io: 'input' | 'output', n: number): unknown {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape
  return new Sampler(root, n).sample('', root, 0)
}

/** Schemas that are deeper contain themselves. */
const deepest = 8

class Sampler {
  readonly #root: Shape
  readonly #n: number
  #count = 0

  constructor(root: Shape, n: number) {
    this.#root = root
    this.#n = n
  }

  sample(name: string, given: Shape, depth: number): unknown {
    const shape = this.#resolved(given)
    if (shape.const !== undefined || shape.enum) return shape.const ?? shape.enum?.[0]
    if (depth > deepest) return null
    const options = shape.anyOf ?? shape.oneOf
    if (options) return this.sample(name, inheriting(shape, options[this.#n % options.length] as Shape), depth + 1)
    if (shape.allOf) return Object.assign({}, ...shape.allOf.map((part) => this.sample(name, part, depth + 1)))
    if (shape.properties || shape.type === 'object') return this.#fields(shape, depth)
    if (shape.type === 'array')
      return [this.sample(name, inheriting(shape, shape.items ?? shape.prefixItems?.[0] ?? {}), depth + 1)]
    return this.#simple(name, shape)
  }

  #resolved(shape: Shape): Shape {
    if (!shape.$ref) return shape
    return { ...shape, ...(this.#root.$defs?.[shape.$ref.split('/').at(-1) ?? ''] ?? this.#root) }
  }

  #fields({ properties = {}, additionalProperties: more, secret }: Shape, depth: number): object {
    const all = typeof more === 'object' ? { ...properties, made_up: more } : properties
    const named = Object.entries(all).map(([name, field]) => [
      name,
      this.sample(name, inheriting(secret ? { secret } : {}, field), depth + 1),
    ])
    return Object.fromEntries(named)
  }

  #simple(name: string, { type, format, secret, description = '' }: Shape): unknown {
    if (type === 'number' || type === 'integer') return 1
    if (type === 'boolean') return true
    if (secret || names.test(name) || words.test(description)) return this.#secret()
    return format === 'uri' || /url$/i.test(name) ? this.#link() : 'plain'
  }

  #secret = () => `${planted}${this.#count++}xxxxxxxx`

  #link(): string {
    const [user, word, segment, signature, place] = Array.from({ length: 5 }, this.#secret)
    return `https://${user}:${word}@hooks.example/in/${segment}Aa1/x?sig=${signature}#${place}`
  }
}

/** Returns an inner schema with the properties of the outer one. */
const inheriting = ({ secret, description }: Shape, inner: Shape): Shape => ({
  ...(secret && { secret }),
  ...(description && { description }),
  ...inner,
})
