import type { Reason } from '../verdict.ts'

/** White space of PDF, comments included (ISO 32000-1, 7.2.3). */
const space = '(?:[\\s\\0]|%[^\\r\\n]{0,200}[\\r\\n])*'
const indirect = `\\d{1,10}(?=[\\s\\0%])${space}\\d{1,10}(?=[\\s\\0%])${space}R`
const reference = `(?:${indirect}|<<|\\[)`

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

const script: [string, string] = ['script', 'It runs a script.']
const launch: [string, string] = ['launch_action', 'It starts a program.']
const embedded: [string, string] = ['embedded_file', 'It holds a file of its own.']

/** Between objects, where the same words may stand in a title as well: only as a value or a key that means it. */
const inFiles: Rule[] = [
  [new RegExp(`(?:${name('S')}|\\bobj)${space}${name('JavaScript')}`), ...script],
  [new RegExp(`${name('JavaScript')}${space}${reference}`), ...script],
  [new RegExp(`(?:${name('S')}|\\bobj)${space}${name('Launch')}`), ...launch],
  [new RegExp(`${name('Type')}${space}${name('EmbeddedFile')}`), ...embedded],
  [new RegExp(`${name('EmbeddedFiles')}${space}${reference}`), ...embedded],
  [new RegExp(`${name('EF')}${space}(?:${indirect}|<<)`), ...embedded],
]

/** In an object stream whose strings are taken out, a name is a name. */
const inObjects: Rule[] = [
  [new RegExp(name('JavaScript')), ...script],
  [new RegExp(name('Launch')), ...launch],
  [new RegExp([name('EmbeddedFiles'), name('EmbeddedFile'), name('EF')].join('|')), ...embedded],
]

/** Whether a part of a PDF says that its strings and streams are encrypted. */
export const saysEncrypted = (text: string): boolean => encrypts.test(text)
const encrypts = new RegExp(`${name('Encrypt')}${space}(?:${indirect}|<<)`)

const found = (rules: Rule[], text: string): Reason[] =>
  rules.filter(([pattern]) => pattern.test(text)).map(([, code, detail]) => ({ code, detail }))

/** What a part of a PDF, as it lies in the file, would do when it is opened. */
export const actionsInFile = (text: string): Reason[] => found(inFiles, text)

/** The same of the objects in an unpacked object stream. */
export const actionsInObjects = (text: string): Reason[] => found(inObjects, withoutStrings(text))

/** A text without its literal strings (7.3.4.2). */
function withoutStrings(text: string): string {
  const kept: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\' && depth > 0) at += 1
    else if (character === '(') {
      if (depth === 0) kept.push(text.slice(from, at))
      depth += 1
    } else if (character === ')' && depth > 0) {
      depth -= 1
      from = at + 1
    }
  }
  if (depth === 0) kept.push(text.slice(from))
  return kept.join(' ')
}

/** A dictionary with its names written plainly. */
export const plainNames = (text: string): string =>
  text.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
