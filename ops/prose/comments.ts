import ts from 'typescript'
import { countWords, paragraphsIn, type Range } from './text.ts'

/** A comment, or several line comments that follow each other. */
export interface Comment extends Range {
  text: string
}

const directive = /biome-ignore|@ts-|knip|v8 ignore/

/** Returns the comments of a file, except directives. */
export function commentsOf(file: ts.SourceFile): Comment[] {
  const source = file.text
  const ranges = new Map<number, ts.CommentRange>()
  const collect = (node: ts.Node): void => {
    for (const list of [
      ts.getLeadingCommentRanges(source, node.getFullStart()),
      ts.getTrailingCommentRanges(source, node.getEnd()),
    ])
      for (const range of list ?? []) ranges.set(range.pos, range)
    for (const child of node.getChildren(file)) collect(child)
  }
  collect(file)
  const comments: (Comment & { isLine: boolean })[] = []
  for (const { pos, end } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const raw = source.slice(pos, end)
    const isLine = raw.startsWith('//')
    const text = isLine
      ? raw.replace(/^\/\/ ?/, '')
      : raw.replace(/^\/\*{1,9}|\*{1,9}\/$/g, '').replace(/^[ \t]{0,80}\* ?/gm, '')
    const last = comments.at(-1)
    if (isLine && last?.isLine && /^\n[ \t]*$/.test(source.slice(last.end, pos))) {
      last.text += ` ${text}`
      last.end = end
    } else comments.push({ start: pos, end, text, isLine })
  }
  return comments
    .filter(({ text }) => countWords(text) >= 2 && !directive.test(text))
    .flatMap((comment) => paragraphsIn(comment.text).map((text) => ({ ...comment, text })))
}
