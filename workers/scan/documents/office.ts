import type { Source } from '../source.ts'
import type { Reason } from '../verdict.ts'

const macroEntries = [
  /(^|\/)vbaProject\.bin$/i,
  /^xl\/macrosheets\//i,
  /^Basic\/[^/]+\/(?!script-lb\.xml|dialog-lb\.xml)[^/]+\.xml$/i,
  /^Scripts\/.+[^/]$/i,
]

/** Whether the name of an entry of an office document is where its programs keep macros. */
export function macroName(name: string): Reason | null {
  return macroEntries.some((pattern) => pattern.test(name)) ? { code: 'macros', detail: 'It holds macros.' } : null
}

const largest = 4 * 1024 ** 2

/** What the parts of an Open XML document that say what the others are tell of macros and of what is fetched when it is opened. */
export async function officeFaults(name: string, source: Source): Promise<Reason[]> {
  const isTypes = name === '[Content_Types].xml'
  if (!isTypes && !/(^|\/)_rels\/[^/]*\.rels$/.test(name)) return []
  const text = (await source.read(0, largest)).toString('utf8').replace(/\0/g, '')
  const faults: Reason[] = []
  if (isTypes && /macroEnabled|vbaProject|ms-excel\.(?:intl)?macrosheet/i.test(text))
    faults.push({ code: 'macros', detail: 'Its table of contents names macros.' })
  if (!isTypes && /relationships\/(?:vbaProject|xlMacrosheet|xlIntlMacrosheet)/i.test(text))
    faults.push({ code: 'macros', detail: 'One of its parts refers to macros.' })
  if (!isTypes && fetchesTemplate(text))
    faults.push({
      code: 'remote_template',
      detail: 'It fetches a template or an object from the network when it is opened.',
    })
  return faults
}

function fetchesTemplate(text: string): boolean {
  const links = text.match(/<(?:\w+:)?Relationship\s[^>]{0,4000}>/g) ?? []
  return links.some(
    (link) =>
      /relationships\/(?:attachedTemplate|oleObject|frame|subDocument)"/.test(link) &&
      /Target\s*=\s*["'](?:https?|ftp|file:\/\/\/\/|mhtml|\\\\)/i.test(link),
  )
}
