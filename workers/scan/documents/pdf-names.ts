import type { Reason } from '#tasks/files/engine.ts'

/** Returns the source of a pattern for a name whose characters can be written as `#xx` (7.3.5). */
function name(text: string): string {
  const characters = [...text].map((character) => `(?:${character}|#${hexPattern(character)})`)
  return `/${characters.join('')}(?![A-Za-z0-9#])`
}

function hexPattern(character: string): string {
  const digits = character.charCodeAt(0).toString(16)
  return [...digits].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('')
}

type Rule = [pattern: RegExp, code: string, detail: string]

const script: [string, string] = ['script', 'The document runs a script.']
const launch: [string, string] = ['launch_action', 'The document starts a program.']
export const embeddedCode = 'embedded_file'
const embedded: [string, string] = [embeddedCode, 'The document contains a file.']

/** Text that must follow a key: a certain name, a string or a possible object, or only an object. */
type Value = RegExp | 'object' | 'text'
type Pair = [key: RegExp, value: Value]

const key = (text: string) => new RegExp(name(text), 'g')
const word = (text: string) => new RegExp(name(text), 'y')
const object = /\bobj/g

/** Between objects, titles can contain the same words. Only values and keys with that meaning count there. */
const inFiles: [pairs: Pair[], code: string, detail: string][] = [
  [[[key('S'), word('JavaScript')]], ...script],
  [[[object, word('JavaScript')]], ...script],
  [[[key('JavaScript'), 'object']], ...script],
  [[[key('OnInstantiate'), 'object']], ...script],
  [
    [
      [key('S'), word('Rendition')],
      [key('JS'), 'text'],
    ],
    ...script,
  ],
  [[[key('XFA'), 'object']], 'script', 'The document is a form that runs scripts.'],
  [[[key('S'), word('Launch')]], ...launch],
  [[[object, word('Launch')]], ...launch],
  [[[key('Type'), word('EmbeddedFile')]], ...embedded],
  [[[key('EmbeddedFiles'), 'object']], ...embedded],
  [[[key('EF'), 'object']], ...embedded],
]

/** In an object stream, a name outside strings is always a name. */
const inObjects: Rule[] = [
  [new RegExp([name('JavaScript'), name('JS'), name('OnInstantiate')].join('|')), ...script],
  [new RegExp(name('XFA')), 'script', 'The document is a form that runs scripts.'],
  [new RegExp(name('Launch')), ...launch],
  [new RegExp([name('EmbeddedFiles'), name('EmbeddedFile'), name('EF')].join('|')), ...embedded],
]

export function findActionsInFile(text: string): Reason[] {
  const spaces = new Spaces(text)
  const found = inFiles.filter(([pairs]) => pairs.every((pair) => holds(text, spaces, pair)))
  return found.map(([, code, detail]) => ({ code, detail }))
}

const fileKey = [key('EF'), 'object'] as const

/** Maximum number of words of one kind that are checked in a text. */
const mostWords = 300_000

/**
 * Returns the positions at which a text mentions files. Outside object streams, the key must have that meaning. Inside
 * object streams, any position counts. Returns `undefined` if there are more positions than any program writes.
 */
export const findFileMentions = (text: string, where: 'as a key' | 'anywhere' = 'as a key'): number[] | undefined =>
  where === 'anywhere' ? placesOf(text, fileKey[0]) : placesOf(text, ...fileKey)

export const findTypedFiles = (text: string): number[] | undefined => placesOf(text, key('Type'), word('EmbeddedFile'))

function placesOf(text: string, pattern: RegExp, value?: Value): number[] | undefined {
  const spaces = new Spaces(text)
  const found: number[] = []
  let words = 0
  for (const match of text.matchAll(pattern)) {
    if (++words > mostWords) return undefined
    if (value === undefined || means(text, spaces, match, value)) found.push(match.index)
  }
  return found
}

export const isMarkedEncrypted = (text: string): boolean => holds(text, new Spaces(text), [key('Encrypt'), 'object'])

/** Returns the actions in an unpacked object stream, in which an object can start inside an apparent string. */
export function findActionsInObjects(text: string): Reason[] {
  const bare = withoutStrings(withoutStrings(text))
  const found = inObjects.filter(([pattern]) => pattern.test(bare)).map(([, code, detail]) => ({ code, detail }))
  return [...findActionsInFile(text), ...found]
}

function withoutStrings(text: string): string {
  const kept: string[] = []
  let [from, open] = [0, -1]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '(') open = at
    else if (open !== -1 && character === '\\') at++
    else if (open !== -1 && character === ')') {
      kept.push(text.slice(from, open), ' ')
      from = at + 1
      open = -1
    }
  }
  return kept.join('') + text.slice(from)
}

function holds(text: string, spaces: Spaces, [pattern, value]: Pair): boolean {
  for (const match of text.matchAll(pattern)) if (means(text, spaces, match, value)) return true
  return false
}

function means(text: string, spaces: Spaces, { index, 0: { length } }: RegExpExecArray, value: Value): boolean {
  const at = spaces.skip(index + length)
  if (value === 'text' && /^(?:\(|<)/.test(text.slice(at, at + 1))) return true
  return typeof value === 'string' ? isObject(text, spaces, at) : isAt(text, value, at)
}

function isAt(text: string, pattern: RegExp, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

const number = /\d{1,10}(?=[\s\0%])/y

function isObject(text: string, spaces: Spaces, at: number): boolean {
  if (/^(?:<<|\[)/.test(text.slice(at, at + 2))) return true
  if (!isAt(text, number, at)) return false
  const generation = spaces.skip(number.lastIndex)
  return isAt(text, number, generation) && text[spaces.skip(number.lastIndex)] === 'R'
}

export const decodeNames = (text: string): string =>
  text.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** Skips white space of PDF, including comments of any length (ISO 32000-1, 7.2.3). The time is linear. */
export class Spaces {
  readonly #text: string
  /** Next line end for each position. Created at the first comment. */
  #lineEnds: Int32Array | null = null
  readonly #behind = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  skip(from: number): number {
    const met: number[] = []
    let at = this.#skipBlanks(from)
    while (this.#text[at] === '%') {
      const end = this.#lineEnd(at)
      const known = this.#behind.get(end)
      if (known === undefined) met.push(end)
      at = known ?? this.#skipBlanks(end)
    }
    for (const end of met) this.#behind.set(end, at)
    return at
  }

  #skipBlanks(from: number): number {
    blanks.lastIndex = from
    blanks.test(this.#text)
    return blanks.lastIndex
  }

  #lineEnd(at: number): number {
    this.#lineEnds ??= lineEndsOf(this.#text)
    return this.#lineEnds[at] ?? this.#text.length
  }
}

const blanks = /[\s\0]*/y

function lineEndsOf(text: string): Int32Array {
  const ends = new Int32Array(text.length)
  let end = text.length
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === '\n' || text[at] === '\r') end = at
    ends[at] = end
  }
  return ends
}
