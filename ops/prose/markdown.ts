import type { Text } from './text.ts'

/** Returns the headings, paragraphs, list items and table cells of a Markdown file, without its code blocks and HTML comments. */
export function textsOfMarkdown(file: string, source: string): Text[] {
  const texts: Text[] = []
  const add = (line: number, text: string) => {
    const trimmed = text.replace(/\s+/g, ' ').trim()
    if (trimmed) texts.push({ kind: 'guide', file, line, text: trimmed, start: 0, end: 0, holes: [], form: 'markdown' })
  }
  let block: string[] = []
  let blockLine = 0
  const endBlock = () => {
    add(blockLine, block.join(' '))
    block = []
  }
  for (const { number, line } of linesOutsideCode(source)) {
    const separate = separateTexts(line)
    const item = /^\s*(?:[-*]|\d+\.) (.*)/.exec(line)
    if (separate || item) endBlock()
    if (separate) {
      for (const text of separate) add(number, text)
    } else {
      if (block.length === 0) blockLine = number
      block.push(item?.[1] ?? line)
    }
  }
  endBlock()
  return texts
}

/** Returns the lines with their 1-based numbers. An empty line stands for each line of a code block. */
function linesOutsideCode(source: string): { number: number; line: string }[] {
  let isCode = false
  return source.split('\n').map((line, index) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return { number: index + 1, line: isFence || isCode ? '' : line }
  })
}

/**
 * Returns the texts of a line that is not part of a paragraph: a heading, a table row, a comment or an empty line.
 * Otherwise returns undefined.
 */
function separateTexts(line: string): string[] | undefined {
  if (/^\s*$|^\s*<!--/.test(line)) return []
  if (/^#+ /.test(line)) return [line.replace(/^#+ /, '')]
  if (!/^\s*\|/.test(line)) return undefined
  return /^\s{0,40}\|[\s:|-]{1,2000}$/.test(line) ? [] : line.split('|').slice(1, -1)
}
