/** Kinds of text that `npm run check:prose` measures. */
export const kinds = ['guide', 'api', 'error', 'page', 'cli', 'log', 'comment', 'other'] as const
export type Kind = (typeof kinds)[number]

/** Positions in a file in UTF-16 units. `end` is exclusive. */
export interface Range {
  start: number
  end: number
}

/** One text of the repository. */
export interface Text extends Range {
  kind: Kind
  /** File path, relative to the root of the repository. */
  file: string
  /** Line of the text's start, counted from 1. */
  line: number
  /** The text with single spaces, and with `{x}` for each interpolated expression. */
  text: string
  /** Interpolated expressions, in order. */
  holes: Range[]
  /** How the text is written in the source. */
  form: 'markdown' | 'shell' | 'string' | 'html' | 'attribute' | 'comment'
}

/** Placeholder for an interpolated expression while a text is split. This character does not occur in the sources. */
export const hole = '\uE000'

/** Returns a text with `{x}` for each hole and single spaces. */
export const normalized = (text: string): string => text.replaceAll(hole, '{x}').replace(/\s+/g, ' ').trim()

/** Splits a text at empty lines, list items and indented lines. Returns the parts that have words. */
export const paragraphsIn = (text: string): string[] =>
  text.split(/\n(?=\s*\n|[ \t]{2,}\S|- )/).filter((part) => countWords(part) > 0)

/** Returns the number of words with two or more Latin letters. `{x}` does not count. */
export const countWords = (text: string): number => (text.replaceAll('{x}', '').match(/[A-Za-z]{2,}/g) ?? []).length

/** Returns the 1-based line of a position. */
export function lineAt(source: string, position: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < position; at = source.indexOf('\n', at + 1)) line++
  return line
}
