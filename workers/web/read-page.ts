import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { normalText } from '#lib/normal-text.ts'
import { outsideText } from '#lib/outside-text.ts'
import type { Reading } from '#tasks/wiki/page-reader.ts'
import { sniff } from './sniff.ts'
import { type DomNode, visibleText } from './visible-text.ts'

/** Characters that are kept of a text, and of what all a page shows. */
const mostText = 1_000_000
const mostShown = 2_000_000
const mostNormal = 4_000_000
const mostTitle = 500
/** Below so many characters what Readability finds is some box of the page rather than what it says. */
const leastReadable = 140

/** What bytes say: at first all that a page shows, then, which takes longer, its readable part. Nothing in them is run. */
export function* readPage(bytes: Uint8Array, declaredType: string): Generator<Reading> {
  const { type, text } = sniff(bytes, declaredType)
  if (text === undefined) yield { type, title: null, text: null, length: null, normalText: null }
  else if (type !== 'text/html') yield reading(type, null, text, text)
  else yield* readHtml(text)
}

function* readHtml(html: string): Generator<Reading> {
  // Without a root element the parser makes the first one it meets the document's.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const shown = visibleText(document.documentElement as unknown as DomNode)
  const title = document.querySelector('title')?.textContent?.replace(/\s+/g, ' ').trim() || null
  yield reading('text/html', title, shown, shown)
  const article = new Readability<DomNode>(document as never, { serializer: (node) => node as never }).parse()
  const text = article?.content ? visibleText(article.content) : ''
  if (text.length >= leastReadable) yield reading('text/html', article?.title || title, text, shown)
}

function reading(type: string, title: string | null, text: string, shown: string): Reading {
  const clean = plain(text)
  return {
    type,
    title: title === null ? null : outsideText(plain(title), mostTitle),
    text: outsideText(clean, mostText),
    length: clean.length,
    normalText: normalised(shown, text),
  }
}

/** All that is shown, and then the readable part where that leaves something out between two of its words. */
function normalised(shown: string, text: string): string {
  const all = normal(shown)
  const readable = text === shown ? all : normal(text)
  return all.includes(readable) ? all : `${all}\n${readable}`
}

const normal = (text: string) =>
  normalText(plain(text.slice(0, mostShown)))
    .slice(0, mostNormal)
    .toWellFormed()

/** Without the character that Postgres takes in no text. */
const plain = (text: string) => text.replaceAll('\0', '').toWellFormed()
