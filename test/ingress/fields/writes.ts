import type { Schema, Walked } from '../../support/extremes.ts'
import type { Reply } from '../../support/ingress.ts'
import { type Form, type Made, references } from './form.ts'
import { forms } from './forms.ts'
import { sampleOf } from './samples.ts'

type Fields = Record<string, unknown>
type Ask = (request: string, body?: unknown) => Promise<Reply>
type Resolve = (schema: Schema) => Schema

export interface Written {
  operation: Walked
  body: Fields
  /** Of the request, or of a read after it that failed. */
  reply: Reply
  /** What reads show right after, or the reply where there is no read. */
  shown: unknown
}

class NotMade extends Error {}

/** Sends forms with every field, and remembers what they made, so that later paths and forms can name it. */
export class Writer {
  readonly written: Written[] = []
  readonly #made: Map<string, Fields> = new Map<string, Fields>()
  readonly #reads: ReadonlySet<string>
  readonly #resolve: Resolve
  readonly #ask: Ask

  /** Also knows what another writer made. */
  constructor(operations: readonly Walked[], resolve: Resolve, ask: Ask, other?: Writer) {
    if (other) this.#made = new Map(other.#made)
    this.#reads = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path))
    this.#resolve = resolve
    this.#ask = ask
  }

  readonly made: Made = (path, field = 'id') => {
    const value = this.#made.get(path)?.[field]
    if (typeof value !== 'string') throw new NotMade(`${path} ${field}`)
    return value
  }

  remember(path: string, fields: Fields): void {
    this.#made.set(path, { ...this.#made.get(path), ...fields })
  }

  /** Sends each form as soon as all that it names was made. Returns the operations that name what never was. */
  async writeAll(operations: readonly Walked[]): Promise<readonly Walked[]> {
    let left = operations
    for (let before = -1; before !== left.length; ) {
      before = left.length
      const later: Walked[] = []
      for (const operation of left) {
        if (!(await this.#isWritten(operation))) later.push(operation)
      }
      left = later
    }
    return left
  }

  async #isWritten(operation: Walked): Promise<boolean> {
    try {
      const form = forms[operation.id] ?? {}
      const place = this.placeOf(operation.path, form)
      for (const body of this.#bodiesOf(operation, form)) await this.#send(operation, place, body)
      return true
    } catch (error) {
      if (error instanceof NotMade) return false
      throw error
    }
  }

  async #send(operation: Walked, place: string, body: Fields): Promise<void> {
    const reply = await this.#ask(`${operation.method} ${place}`, body)
    if (reply.status >= 300) {
      this.written.push({ operation, body, reply, shown: undefined })
      return
    }
    const made = { ...body, ...reply.body }
    this.remember(operation.path.replace(/\/\{\w+\}$/, ''), made)
    const replies = []
    for (const read of this.#readsOf(operation, place, made)) replies.push(await this.#ask(`GET ${read}`))
    const failed = replies.find(({ status }) => status !== 200)
    const shown = replies.length > 0 ? replies.map((one) => itemOf(one.body, made)) : reply.body
    this.written.push({ operation, body, reply: failed ?? reply, shown })
  }

  #bodiesOf({ method, body, path }: Walked, { values, apart = {}, also = [] }: Form): Fields[] {
    const whole = Object.keys(this.#resolve(body as Schema).properties ?? {}).length
      ? (sampleOf(body as Schema, this.#resolve, method === 'POST' ? 0 : 1) as Fields)
      : {}
    const own = Object.entries(whole).filter(([name]) => !(name in apart))
    const base = path.split('/').slice(0, 3).join('/')
    const named = own.map(([name, value]) => {
      const to = references[name]?.find((to) => to.startsWith(`${base}/`))
      return [name, to ? this.made(to) : value]
    })
    return [{ ...Object.fromEntries(named), ...values?.(this.made) }, ...also.map((one) => one(this.made))]
  }

  /** Returns a path with what was made in the place of its parameters. */
  placeOf(path: string, { params = {} }: Form = {}): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
      const above = path.slice(0, at - 1)
      const known = this.#made.get(above)
      const given = params[name]?.(this.made) ?? this.made(above, known && name in known ? name : 'id')
      return encodeURIComponent(given)
    })
  }

  #readsOf({ id, method, path }: Walked, place: string, made: Fields): readonly string[] {
    const given = forms[id]?.read?.(this.made)
    if (given !== undefined) return [given].flat()
    if (method === 'POST') {
      const one = [...this.#reads].find((read) => read.startsWith(`${path}/{`) && read.endsWith('}'))
      if (one) return [`${place}/${encodeURIComponent(String(made[one.slice(path.length + 2, -1)] ?? made.id))}`]
      return this.#reads.has(path) ? [place] : []
    }
    if (this.#reads.has(path)) return [place]
    return this.#reads.has(path.replace(/\/[^/]+$/, '')) ? [place.replace(/\/[^/]+$/, '')] : []
  }
}

/** Returns what was made from a list that has it, otherwise all that a read shows. */
function itemOf(shown: { data?: unknown }, made: Fields): unknown {
  const item = Array.isArray(shown.data) ? shown.data.find(({ id }) => id !== undefined && id === made.id) : undefined
  return item ?? shown
}
