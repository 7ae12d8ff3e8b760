import type { Kind } from '../kind.ts'
import { decoded, headSize } from '../sniff.ts'
import { chunksOf, type Source } from '../source.ts'
import type { Reason } from '../verdict.ts'

/** How much of one chunk is seen again with the next, so that nothing is cut in two. */
const overlap = 4096

const handlers =
  'abort|activate|after|animation|auxclick|before|begin|blur|bounce|cancel|canplay|change|click|close|contextmenu|copy|cuechange|cut|dblclick|drag|drop|duration|emptied|end|error|finish|focus|formdata|fullscreen|gotpointer|hashchange|input|invalid|key|load|lostpointer|message|mouse|offline|online|page|paste|pause|play|pointer|popstate|progress|readystate|repeat|reset|resize|scroll|search|seek|select|show|slot|stalled|start|storage|submit|suspend|timeupdate|toggle|touch|transition|unload|volume|waiting|wheel|zoom'

const inPages: [RegExp, string][] = [
  [/<(?:[\w.-]+:)?script[\s/>]/i, 'It has a script element.'],
  [new RegExp(`[\\s"'/]on(?:${handlers})[a-z]{0,24}\\s*=\\s*["'\\w&(]`, 'i'), 'It has an event handler.'],
  [
    /(?:j|&#0*106;?|&#x0*6a;?)[\s\0]*a[\s\0]*v[\s\0]*a[\s\0]*s[\s\0]*c[\s\0]*r[\s\0]*i[\s\0]*p[\s\0]*t[\s\0]*(?::|&colon;|&#0*58;?|&#x0*3a;?)/i,
    'It has a script address.',
  ],
  [/data:\s*(?:text\/html|application\/xhtml)/i, 'It embeds a page of its own.'],
  [/http-equiv\s*=\s*["']?\s*refresh\b[^<>]{0,500}(?:data|javascript|vbscript):/i, 'It leads on to a script.'],
  [/vbscript:|<(?:[\w.-]+:)?handler[\s>]/i, 'It has a script.'],
]

const inDrawings: [RegExp, string][] = [
  [/<(?:[\w.-]+:)?use\b[^<>]{0,2000}href\s*=\s*["']?\s*data:/i, 'It draws in a document of its own.'],
  [/attributeName\s*=\s*["']?\s*on[a-z]/i, 'It sets an event handler.'],
  [/<!ENTITY[^<>]{0,200}\s(?:SYSTEM|PUBLIC)\s/i, 'It takes in another file.'],
  [/<!ENTITY[^<>"']{0,200}(?:"[^"]{0,4000}(?:<|&#)|'[^']{0,4000}(?:<|&#))/i, 'It hides markup in an entity.'],
  [/<\?xml-stylesheet\b[^<>]{0,500}xsl/i, 'It transforms itself.'],
  [/<(?:[\w.-]+:)?(?:iframe|embed|object)[\s>]/i, 'It embeds a page.'],
]

/** What in a page or a drawing runs when it is opened, each kind once. */
export async function scriptsIn(source: Source, kind: Kind | null): Promise<Reason[]> {
  const patterns = kind?.family === 'html' ? inPages : [...inPages, ...inDrawings]
  const like = await source.read(0, headSize)
  const found = new Set<string>()
  let kept: Buffer = Buffer.alloc(0)
  for await (const chunk of chunksOf(source)) {
    const bytes = Buffer.concat([kept, chunk])
    const text = decoded(bytes, like)
    for (const [pattern, detail] of patterns) if (!found.has(detail) && pattern.test(text)) found.add(detail)
    // An even number, so that UTF-16 stays in step.
    kept = Buffer.from(bytes.subarray(Math.max(0, bytes.length - overlap) & ~1))
  }
  return [...found].map((detail) => ({ code: 'script', detail }))
}
