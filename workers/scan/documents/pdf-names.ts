import type { Reason } from '#tasks/files/engine.ts'

/** A pattern for a name whose characters may be written as `#xx` (7.3.5). */
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
/** The code of a file in a document. */
export const embeddedCode = 'embedded_file'
const embedded: [string, string] = [embeddedCode, 'The document contains a file.']

/** What a key has to be followed by: a certain name, a string or something that may be an object, or that object alone. */
type Value = RegExp | 'object' | 'text'
type Pair = [key: RegExp, value: Value]

const key = (text: string) => new RegExp(name(text), 'g')
const word = (text: string) => new RegExp(name(text), 'y')
const object = /\bobj/g

/** Between objects, where the same words may stand in a title as well: only as a value or a key that means it. */
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

/** In an object stream a name outside strings is a name. */
const inObjects: Rule[] = [
  [new RegExp([name('JavaScript'), name('JS'), name('OnInstantiate')].join('|')), ...script],
  [new RegExp(name('XFA')), 'script', 'The document is a form that runs scripts.'],
  [new RegExp(name('Launch')), ...launch],
  [new RegExp([name('EmbeddedFiles'), name('EmbeddedFile'), name('EF')].join('|')), ...embedded],
]

/** What a part of a PDF, as it lies in the file, would do when it is opened. */
export function actionsInFile(text: string): Reason[] {
  const spaces = new Spaces(text)
  const found = inFiles.filter(([pairs]) => pairs.every((pair) => holds(text, spaces, pair)))
  return found.map(([, code, detail]) => ({ code, detail }))
}

const fileKey = [key('EF'), 'object'] as const

/** Words of one kind that are looked at in a text. */
const mostWords = 300_000

/**
 * Where a text mentions files: outside of object streams where the key means it, in them wherever the name stands. Undefined where it has
 * more such words than any program writes.
 */
export const filesIn = (text: string, where: 'as a key' | 'anywhere' = 'as a key'): number[] | undefined =>
  where === 'anywhere' ? placesOf(text, fileKey[0]) : placesOf(text, ...fileKey)

/** Where a text says that a stream is a file; undefined as above. */
export const typedFilesIn = (text: string): number[] | undefined => placesOf(text, key('Type'), word('EmbeddedFile'))

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

/** Whether a part of a PDF says that it is encrypted. */
export const saysEncrypted = (text: string): boolean => holds(text, new Spaces(text), [key('Encrypt'), 'object'])

/** The same of the objects in an unpacked object stream, of which one may begin where another seems to have a string. */
export function actionsInObjects(text: string): Reason[] {
  const bare = withoutStrings(withoutStrings(text))
  const found = inObjects.filter(([pattern]) => pattern.test(bare)).map(([, code, detail]) => ({ code, detail }))
  return [...actionsInFile(text), ...found]
}

/** The text with a blank for each string that holds no other. */
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

/** Whether a value of that sort follows a key. */
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

/** Whether a dictionary, an array or a reference to an object stands at a place. */
function isObject(text: string, spaces: Spaces, at: number): boolean {
  if (/^(?:<<|\[)/.test(text.slice(at, at + 2))) return true
  if (!isAt(text, number, at)) return false
  const generation = spaces.skip(number.lastIndex)
  return isAt(text, number, generation) && text[spaces.skip(number.lastIndex)] === 'R'
}

/** A dictionary with its names written plainly. */
export const plainNames = (text: string): string =>
  text.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** Reads the white space of PDF, comments of any length included (ISO 32000-1, 7.2.3), in time in proportion to the text. */
export class Spaces {
  readonly #text: string
  /** Where the next line end is, for each place; made when a comment is first met. */
  #lineEnds: Int32Array | null = null
  readonly #behind = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Where something else follows. */
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
