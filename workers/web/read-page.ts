import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { toStorableText } from '#lib/outside-text.ts'
import type { PageContent } from '#tasks/wiki/engine.ts'
import { normaliseText } from '#tasks/wiki/rules/normal-text.ts'
import { type PdfText, splitPages } from './pdf-pages.ts'
import { sniff } from './sniff.ts'
import { type DomNode, visibleBlocks } from './visible-text.ts'

const mostText = 1_000_000
const mostShown = 2_000_000
const mostNormal = 4_000_000
const mostTitle = 500
/**
 * Minimum number of characters of a Readability result. A shorter result is usually a box of the page instead of its
 * content.
 */
const leastReadable = 140

/**
 * Returns readings of bytes: first the complete visible text, then its readable part, which takes longer. No scripts
 * are run.
 */
export function* readPage(bytes: Uint8Array, declaredType: string): Generator<PageContent> {
  const { type, text } = sniff(bytes, declaredType)
  if (text === undefined) yield { type, title: null, text: null, length: null, normalText: null, pageEnds: null }
  else if (type !== 'text/html') yield reading(type, null, text, normalised(blocksOf(type, text)))
  else yield* readHtml(text)
}

/**
 * Returns the text of a PDF: normalised paragraphs for the search of quotes, and the page ends among them, if they are
 * known.
 */
export function readPdf(pdf: PdfText): PageContent {
  const pages = splitPages(pdf)
  const lines: string[] = []
  const pageEnds: number[] = []
  let [shown, length] = [0, 0]
  for (const page of pages) {
    for (const block of blocksOf('text/plain', page)) {
      const line =
        shown < mostShown && length < mostNormal ? normaliseText(plain(block.slice(0, mostShown - shown))) : ''
      shown += block.length
      if (!line) continue
      lines.push(line.toWellFormed())
      // Counts characters like Postgres: a character outside the basic plane counts as one.
      length += [...line].length + 1
    }
    pageEnds.push(length)
  }
  return {
    ...reading('application/pdf', null, pages.join('\n\n'), lines.join('\n')),
    pageEnds: pdf.isPaged ? pageEnds : null,
  }
}

function* readHtml(html: string): Generator<PageContent> {
  // If there is no root element, the parser uses the first element as the root of the document.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const shown = visibleBlocks(document.documentElement as unknown as DomNode)
  const title = document.querySelector('title')?.textContent?.replace(/\s+/g, ' ').trim() || null
  const normal = normalised(shown)
  yield reading('text/html', title, shown.join('\n'), normal)
  const article = new Readability<DomNode>(document as never, { serializer: (node) => node as never }).parse()
  const text = article?.content ? visibleBlocks(article.content).join('\n') : ''
  if (text.length >= leastReadable) yield reading('text/html', article?.title || title, text, normal)
}

/** Returns the blocks of a text that is not a web page: paragraphs, or lines if each line is a record. */
const blocksOf = (type: string, text: string): string[] =>
  text.slice(0, mostShown).split(type === 'text/plain' || type === 'text/markdown' ? /\n\s*\n/ : /\n/)

function reading(type: string, title: string | null, text: string, normal: string): PageContent {
  const clean = plain(text)
  return {
    type,
    title: title === null ? null : toStorableText(plain(title), mostTitle),
    text: toStorableText(clean, mostText),
    length: clean.length,
    normalText: normal,
    pageEnds: null,
  }
}

/** Returns the blocks in normalised form for the search of quotes, one per line. Long texts are truncated. */
function normalised(blocks: readonly string[]): string {
  const lines: string[] = []
  let [shown, length] = [0, 0]
  for (const block of blocks) {
    if (shown >= mostShown) break
    const line = normaliseText(plain(block.slice(0, mostShown - shown)))
    shown += block.length
    length += line.length + 1
    if (length > mostNormal) break
    if (line) lines.push(line)
  }
  return lines.join('\n').toWellFormed()
}

/** Removes NUL, which Postgres does not accept in text. */
const plain = (text: string) => text.replaceAll('\0', '').toWellFormed()
