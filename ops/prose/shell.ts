import { countWords, lineAt, normalized, type Text } from './text.ts'

const output = /\b(?:say|echo|printf)\s{1,9}(?:"((?:[^"\\\n]|\\.){0,500})"|'([^'\n]{0,500})')/g
const comment = /^[ \t]{0,40}# (.{1,500})$/gm

/** Returns the output and the comments of a shell script. */
export function textsOfShell(file: string, source: string): Text[] {
  const text = (kind: Text['kind'], found: string, at: number, form: Text['form']): Text[] => {
    const shown = normalized(found.replace(/\$\{[^{}$]*\}|\$\w+|\$\([^()$]*\)/g, '{x}'))
    const place = { file, line: lineAt(source, at), start: at, end: at + found.length, holes: [] }
    return countWords(shown) >= 2 ? [{ kind, text: shown, form, ...place }] : []
  }
  return [
    ...[...source.matchAll(output)].flatMap(({ 1: double, 2: single, index }) =>
      text('cli', double ?? single ?? '', index, 'shell'),
    ),
    ...[...source.matchAll(comment)].flatMap(({ 1: line = '', index }) => text('comment', line, index, 'shell')),
  ]
}
