import type { Kind } from './kind.ts'

const prolog = /(?:\s+|\uFEFF|<\?[^>]{0,4000}>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]{0,4000}(?:\[[^\]]{0,40000}\]\s*)?>)/iy

/** Matches tags by which browsers recognise HTML without a root element (WHATWG MIME Sniffing, 7.1). */
const htmlTags =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|img|form|meta|link|svg:html)[\s/>]/i

/** Returns the kind of a text that starts with a tag after its prolog, or `null`. */
export function detectMarkup(text: string): Kind | null {
  const first = text
    .slice(0, 64)
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (!first.startsWith('<')) return null
  if (/^<!doctype html/i.test(first)) return { type: 'text/html', family: 'html' }
  const root = text.slice(rootAt(text))
  if (/^<(?:[\w.-]+:)?svg[\s/>]/i.test(root)) return { type: 'image/svg+xml', family: 'svg' }
  if (htmlTags.test(root))
    return { type: first.startsWith('<?xml') ? 'application/xhtml+xml' : 'text/html', family: 'html' }
  return first.startsWith('<?xml') ? { type: 'application/xml', family: 'text' } : null
}

function rootAt(text: string): number {
  let at = 0
  for (;;) {
    prolog.lastIndex = at
    if (!prolog.test(text)) return at
    at = prolog.lastIndex
  }
}
