import { AssignTag, LayoutTag, Liquid, type LiquidOptions, RenderTag, type Template } from 'liquidjs'
import type { Part } from '../placeholders.ts'
import { escapeFor } from '../placeholders.ts'
import { eachError } from './faults.ts'
import { OwnFor } from './own-for.ts'

/** Maximum depth of partials and layouts. */
const maxDepth = 10

/**
 * Limits of Liquid itself, which give clear errors. The thread ends work that these limits miss. Times in milliseconds,
 * sizes in characters.
 */
const limits = { parseLimit: 4 * 2 ** 20, renderLimit: 1_000, memoryLimit: 5e7 }

const allowedTags = new Set(
  'assign block break capture case comment continue cycle echo for if layout raw render unless #'.split(' '),
)

/**
 * Filters of templates. Left out: filters that run expressions given as text, that need much time or memory for short
 * input, or that reveal internals.
 */
const allowedFilters = new Set(
  (
    'escape escape_once newline_to_br abs at_least at_most ceil divided_by floor minus plus modulo times round ' +
    'url_encode url_decode join last first reverse sort sort_natural size map sum compact concat slice where reject uniq ' +
    'date append prepend lstrip rstrip strip strip_newlines squish capitalize downcase upcase remove remove_first ' +
    'remove_last replace replace_first replace_last split truncate truncatewords array_to_sentence_string default raw json'
  ).split(' '),
)

class PartialError extends Error {
  override name = 'PartialError'
}

/** Source of the partials and layouts of the current rendering. A thread renders one message at a time. */
let sources: ReadonlyMap<string, string> = new Map()
let depth = 0
/** Names of partials and layouts that the parser has found. */
let found = new Set<string>()

export function withSources<T>(given: ReadonlyMap<string, string>, run: () => T): T {
  ;[sources, depth] = [given, 0]
  return run()
}

export function collectNames(parse: () => void): string[] {
  found = new Set()
  parse()
  return [...found]
}

const fileOf = (tag: object): string => {
  const { file } = tag as { file?: unknown }
  if (typeof file !== 'string') throw new Error('must name the template in quotes, such as "footer"')
  return file
}

function* deeper(name: string, render: () => Generator<unknown, unknown, unknown>): Generator<unknown, void, unknown> {
  if (depth >= maxDepth)
    throw new PartialError(`The template "${name}" is nested more than ${maxDepth} levels deep, or uses itself.`)
  depth++
  yield* render()
  depth--
}

class OwnRender extends RenderTag {
  readonly #name: string

  constructor(...given: ConstructorParameters<typeof RenderTag>) {
    super(...given)
    this.#name = fileOf(this)
    found.add(this.#name)
  }

  override *render(...given: Parameters<RenderTag['render']>) {
    try {
      yield* deeper(this.#name, () => super.render(...given) as Generator<unknown, unknown, unknown>)
    } catch (error) {
      for (const one of eachError(error as Error)) one.isOfPartial = true
      throw error
    }
  }
}

class OwnLayout extends LayoutTag {
  readonly #name: string

  constructor(...given: ConstructorParameters<typeof LayoutTag>) {
    super(...given)
    this.#name = fileOf(this)
    found.add(this.#name)
  }

  override *render(...given: Parameters<LayoutTag['render']>): Generator<unknown, void, string> {
    yield* deeper(this.#name, () => super.render(...given) as Generator<unknown, unknown, unknown>) as Generator<
      unknown,
      void,
      string
    >
  }
}

/** A missing variable is an error, as in an output. Liquid’s own tag ignores missing variables. */
class OwnAssign extends AssignTag {
  override *render(...[context]: Parameters<AssignTag['render']>): Generator<unknown, void, unknown> {
    const { key, value } = this as unknown as { key: string; value: { value(...given: unknown[]): unknown } }
    context.bottom()[key] = yield value.value(context, false)
  }
}

const fs: NonNullable<LiquidOptions['fs']> = {
  readFileSync: (name) => sources.get(name) as string,
  existsSync: (name) => sources.has(name),
  readFile: () => Promise.reject(new Error('Templates are rendered synchronously.')),
  exists: () => Promise.resolve(false),
  contains: () => Promise.resolve(true),
  containsSync: () => true,
  resolve: (_folder, name) => name,
}

/**
 * Maximum size of the parsed templates of a part that a thread keeps, in estimated bytes. The memory of a thread is
 * shared, so kept templates of one organisation must leave enough for the templates of others.
 */
const mostKept = 12 * 2 ** 20

/** Measured size of the objects of an output or a tag in bytes. */
const bytesPerToken = 1_500

function sizeOf(source: string): number {
  let tokens = 0
  for (let at = source.indexOf('{'); at >= 0; at = source.indexOf('{', at + 2)) {
    const next = source[at + 1]
    if (next === '{' || next === '%') tokens++
  }
  return 2 * source.length + tokens * bytesPerToken
}

/** Parsed templates by their source. */
class ParsedTemplates {
  readonly #known = new Map<string, Template[]>()
  #size = 0

  get(source: string): Template[] | undefined {
    const parsed = this.#known.get(source)
    if (!parsed) return undefined
    this.#known.delete(source)
    this.#known.set(source, parsed)
    return parsed
  }

  set(source: string, parsed: Template[]): void {
    if (!this.#known.has(source)) this.#size += sizeOf(source)
    this.#known.set(source, parsed)
    for (const old of this.#known.keys()) {
      if (this.#size <= mostKept) break
      this.#known.delete(old)
      this.#size -= sizeOf(old)
    }
  }
}

interface PartLanguage {
  /** Parses a source even if the thread knows it. Throws Liquid’s errors. */
  parseAfresh(source: string): Template[]
  /** Throws Liquid’s errors. */
  render(source: string, variables: object, options: { globals: object; strictVariables: boolean }): string
  /** Returns the variables that the caller has to set. */
  variablesOf(source: string): string[]
}

/** Creates the language of a part of an email: its tags and filters, and the escaping of values. */
export function createLanguage(part: Part): PartLanguage {
  const kept = new ParsedTemplates()
  const sourceOf = (key: string) => sources.get(key.slice(key.indexOf(':') + 1))
  const liquid = new Liquid({
    ...limits,
    fs,
    root: ['.'],
    cache: {
      read: (key) => kept.get(sourceOf(key) ?? ''),
      write: (key, parsed) => {
        const source = sourceOf(key)
        if (source !== undefined && Array.isArray(parsed)) kept.set(source, parsed)
      },
      remove: () => {},
    },
    relativeReference: false,
    dynamicPartials: true,
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    catchAllErrors: true,
    ownPropertyOnly: true,
    timezoneOffset: 0,
    locale: 'en-GB',
    outputEscape: (value) => escapeFor(part, toText(value)),
  })
  for (const name of Object.keys(liquid.tags)) if (!allowedTags.has(name)) delete liquid.tags[name]
  for (const name of Object.keys(liquid.filters)) if (!allowedFilters.has(name)) delete liquid.filters[name]
  liquid.registerTag('for', OwnFor)
  liquid.registerTag('render', OwnRender)
  liquid.registerTag('layout', OwnLayout)
  liquid.registerTag('assign', OwnAssign)

  function parse(source: string): Template[] {
    const known = kept.get(source)
    if (known) return known
    const parsed = liquid.parse(source)
    kept.set(source, parsed)
    return parsed
  }

  return {
    parseAfresh: (source) => liquid.parse(source),
    render: (source, variables, options) =>
      String(liquid.renderSync(parse(source), variables, { ...options, sync: true }) ?? ''),
    variablesOf: (source) => liquid.globalFullVariablesSync(parse(source), { partials: false }).map(String),
  }
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(toText).join('')
  if (typeof value === 'object') throw new Error('is an object. Name one of its fields')
  return String(value)
}
