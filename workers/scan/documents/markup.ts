import type { Reason } from '#tasks/files/engine.ts'
import type { Kind } from '../kinds/kind.ts'
import { encodingOf, headSize } from '../kinds/sniff.ts'
import { chunksOf, type Source } from '../source.ts'
import { resolveReferences } from './xml.ts'

/** Number of characters of a chunk that are repeated in the next chunk, so that no match is cut in two. */
const overlap = 4096

const handlers =
  'abort|activate|after|animation|auxclick|before|begin|blur|bounce|cancel|canplay|cell|change|click|close|command|content|contextmenu|copy|cuechange|cut|data|dblclick|device|drag|drop|duration|emptied|encrypted|end|error|filter|finish|focus|formdata|fullscreen|gesture|gotpointer|hashchange|help|input|interest|invalid|key|language|layout|load|lost|media|message|mouse|move|moz|ms|offline|online|page|paste|pause|play|pointer|popstate|progress|property|rate|readystate|reject|repeat|reset|resize|resume|reverse|row|scroll|search|security|seek|select|show|slot|snap|stalled|start|storage|submit|suspend|syncrestored|timeerror|timeupdate|toggle|touch|track|transition|unhandled|unload|volume|waiting|webkit|wheel|zoom'

type Rule = [pattern: RegExp, detail: string]

/** Empty element for scripts that LibreOffice writes into each flat OpenDocument without macros. */
const noScript =
  'office:script script:language="ooo:Basic"> ?<ooo:libraries(?: xmlns:[a-z]{1,20}="[^"<>]{0,200}")*/> ?</office:script>'

const inPages: Rule[] = [
  [new RegExp(`<(?!${noScript})(?:[^\\s<>:/]*:)?script[\\s/>]`, 'i'), 'The file has a script element.'],
  [new RegExp(`[\\s"'/]on(?:${handlers})[a-z]{0,24} ?=(?!=)`, 'i'), 'The file has an event handler.'],
  [/\ssrcdoc ?=/i, 'The file embeds another page.'],
  // linear enough: at most 500 characters, which are checked from each start position
  [/http-equiv ?= ?["']? ?refresh\b[^<>]{0,500}(?:data|javascript|vbscript):/i, 'The file redirects to a script.'],
  [/<(?:[^\s<>:]*:)?handler[\s>]/i, 'The file has a script.'],
]

/** Patterns for URLs that can be written with character references. */
const inAddresses: Rule[] = [
  [/j[\s\0]*a[\s\0]*v[\s\0]*a[\s\0]*s[\s\0]*c[\s\0]*r[\s\0]*i[\s\0]*p[\s\0]*t[\s\0]*:/i, 'The file has a script URL.'],
  [/data: ?(?:text\/html|application\/xhtml)/i, 'The file embeds another page.'],
  [/vbscript:/i, 'The file has a script.'],
  [/attributeName ?= ?["']? ?on[a-z]/i, 'The file sets an event handler.'],
]

const inXml: Rule[] = [
  [/<!ENTITY [^<>"']*[ ](?:SYSTEM|PUBLIC) /i, 'The file includes another file.'],
  [/<!ENTITY [^<>"']*(?:"[^"<]*<|'[^'<]*<)/i, 'The file hides markup in an entity.'],
  [/(?:href|attributeName) ?= ?["'][^"'<>]*&(?!amp;|lt;|gt;|quot;|apos;|#)/, 'The file hides a URL in an entity.'],
  [/<\?xml-stylesheet\b[^<>]{0,500}xsl/i, 'The file transforms itself.'],
]

const inDrawings: Rule[] = [
  [/<(?:[^\s<>:]*:)?use\b[^<>]{0,2000}href ?= ?["']? ?data:/i, 'The file displays an embedded document.'],
  [/<(?:[^\s<>:]*:)?(?:iframe|embed|object)[\s>]/i, 'The file embeds a page.'],
]

/**
 * An entity, and a reference to a character that starts markup. The entity can contain the reference and is parsed
 * again.
 */
const hiding: Rule[] = [
  [/<!ENTITY /i, 'The file has entities.'],
  [/&#(?:0*(?:60|38)|x0*(?:3c|26));/i, 'The file escapes markup.'],
]

/** Marks of XML documents that browsers display or transform. */
const drawn = /1999\/xhtml|2000\/svg|1999\/XSL\/Transform/i

/**
 * Returns the kinds of scripts that run when a page or drawing is opened, each kind once. If the type is not certain,
 * checks only content that is marked as a page or drawing.
 */
export async function findScripts(source: Source, kind: Kind | null, isSure: boolean): Promise<Reason[]> {
  const isPage = kind?.type === 'text/html'
  const rules = [...inPages, ...(isPage ? [] : inXml), ...(kind?.family === 'html' ? [] : inDrawings)]
  const found = new Set<string>()
  const hidden = new Set<string>()
  let isDrawn = isSure
  for await (const text of textOf(source)) {
    const resolved = resolveReferences(text)
    addTo(found, rules, text)
    addTo(found, inAddresses, resolved)
    if (!isPage) addTo(hidden, hiding, text)
    isDrawn ||= drawn.test(resolved)
  }
  if (hidden.size === hiding.length) found.add('The file hides markup in an entity.')
  return isDrawn ? [...found].map((detail) => ({ code: 'script', detail })) : []
}

function addTo(found: Set<string>, rules: Rule[], text: string): void {
  for (const [pattern, detail] of rules) if (!found.has(detail) && pattern.test(text)) found.add(detail)
}

/** Escape sequences of ISO 2022 that switch the character set. */
const shift = new RegExp(`${String.fromCharCode(0x1b)}[$(]+[@-Z]`, 'g')

/** Yields the text in overlapping pieces, with white space collapsed and ISO 2022 escapes removed. */
async function* textOf(source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder(encodingOf(await source.read(0, headSize)))
  let kept = ''
  for await (const chunk of chunksOf(source)) {
    const piece = kept + decoder.decode(chunk, { stream: true })
    const text = piece.replace(shift, '').replace(/[\s\0]{2,}/g, ' ')
    yield text
    kept = text.slice(-overlap)
  }
}
