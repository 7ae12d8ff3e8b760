import { setting } from '../transport.ts'

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Colour = keyof typeof codes

/** Output of a command. Results go to standard output, and everything else to standard error. */
export interface Terminal {
  /** True if results are JSON for programs. */
  json: boolean
  /** True if a person reads the standard error. */
  interactive: boolean
  /** Prints a line of results. */
  print(text: string): void
  /** Prints a value as JSON: on one line, or indented for a person. */
  printJson(value: unknown): void
  /** Prints a line for a person. Programs do not get it in JSON mode. */
  note(text: string): void
  /** Replaces the last line of the standard error. Does nothing unless a person reads it. */
  progress(text: string | undefined): void
  /** Returns coloured text for the standard output. */
  paint(colour: Colour, text: string): string
}

export function openTerminal({ json }: { json: boolean }): Terminal {
  const { stdout, stderr } = process
  const coloured = { out: hasColours(stdout.isTTY), err: hasColours(stderr.isTTY) }
  let shown = false
  const clear = () => {
    if (shown) stderr.write('\r\u001b[K')
    shown = false
  }
  return {
    json,
    interactive: stderr.isTTY === true,
    print(text) {
      clear()
      stdout.write(`${text}\n`)
    },
    printJson(value) {
      clear()
      stdout.write(`${jsonText(value, stdout.isTTY ? 2 : undefined)}\n`)
    },
    note(text) {
      clear()
      if (!json) stderr.write(`${coloured.err ? text : withoutColours(text)}\n`)
    },
    progress(text) {
      clear()
      if (text === undefined || json || !stderr.isTTY) return
      stderr.write(text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1)))
      shown = true
    },
    paint: (colour, text) => (coloured.out ? paint(colour, text) : text),
  }
}

/** True if a stream shows colours (https://no-color.org). */
const hasColours = (isTTY: boolean | undefined) =>
  isTTY === true && setting('NO_COLOR') === undefined && setting('TERM') !== 'dumb'

export const paint = (colour: Colour, text: string) => `\u001b[${codes[colour]}m${text}\u001b[0m`

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with this character.
const withoutColours = (text: string) => text.replace(/\u001b\[\d+m/g, '')

/** Characters that can change what a terminal shows. */
const marks = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Returns JSON in which these characters are escaped. The value stays the same. */
export const jsonText = (value: unknown, indent?: number): string => escaped(JSON.stringify(value, undefined, indent))

/** Escapes these characters in JSON, except for line breaks between values. */
export const escaped = (json: string): string =>
  json.replace(marks, (mark) =>
    /[\n\r\t]/.test(mark)
      ? mark
      : Array.from({ length: mark.length }, (_, i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, '0')}`).join(
          '',
        ),
  )

/**
 * Returns text from a server without control characters and direction marks, which could change what a terminal shows.
 */
export const clean = (text: unknown): string =>
  String(text ?? '').replace(marks, (mark) => (mark === '\n' || mark === '\t' ? ' ' : '�'))
