import { Refusal } from '../refusal.ts'
import type { Source } from '../source.ts'
import type { Reason } from '../verdict.ts'
import { attributesOf, tagsOf } from './xml.ts'

const macroEntries = [
  /(^|\/)vbaProject\.bin$/i,
  /^xl\/macrosheets\//i,
  /(^|\/)Basic\/[^/]+\/(?!script-lb\.xml|dialog-lb\.xml)[^/]+\.xml$/i,
  /^Scripts\/.+[^/]$/i,
]

/** Whether the name of an entry of an office document is where its programs keep macros. */
export function macroName(name: string): Reason | null {
  return macroEntries.some((pattern) => pattern.test(name)) ? { code: 'macros', detail: 'It holds macros.' } : null
}

const isTypes = (name: string) => /(^|\/)\[Content_Types\]\.xml(\/|$)/i.test(name)
const isLinks = (name: string) => /(^|\/)_rels\/[^/]*\.rels(\/|$)/i.test(name)

/** Whether a part of an Open XML document says what its others are; the names are taken in any case, and so are parts in pieces. */
export const isOfficePart = (name: string): boolean => isTypes(name) || isLinks(name)

const largest = 4 * 1024 ** 2

/** What the parts of an Open XML document that say what the others are tell of macros and of what is fetched when it is opened. */
export async function officeFaults(names: string[], source: Source): Promise<Reason[]> {
  if (source.size > largest)
    throw new Refusal('suspicious', 'malformed_document', 'What tells of its parts is larger than any program writes.')
  const text = (await source.read(0, largest)).toString('utf8').replace(/\0/g, '')
  const values = tagsOf(text).map((tag) => attributesOf(tag))
  const faults: Reason[] = []
  if (names.some(isTypes) && values.some((tag) => [...tag.values()].some(namesMacros)))
    faults.push({ code: 'macros', detail: 'Its table of contents names macros.' })
  if (names.some(isLinks) && values.some((link) => refersToMacros.test(link.get('type') ?? '')))
    faults.push({ code: 'macros', detail: 'One of its parts refers to macros.' })
  if (names.some(isLinks) && values.some(isFetched))
    faults.push({
      code: 'remote_template',
      detail: 'It fetches a template or an object from the network when it is opened.',
    })
  return faults
}

const namesMacros = (value: string) => /macroEnabled|vbaProject|ms-excel\.(?:intl)?macrosheet/i.test(value)
const refersToMacros = /relationships\/(?:vbaProject|xlMacrosheet|xlIntlMacrosheet)/i
const opened =
  /relationships\/(?:attachedTemplate|oleObject|package|control|frame|subDocument|aFChunk|ui\/extensibility)$/i

function isFetched(link: Map<string, string>): boolean {
  return opened.test((link.get('type') ?? '').trim()) && isRemote((link.get('target') ?? '').trim())
}

/** Whether an address leads to another machine; one of a file does unless a drive or a path on this one follows. */
function isRemote(target: string): boolean {
  const plain = target.replaceAll('\\', '/')
  const [, slashes = '', rest = ''] = /^file:(\/*)(.*)$/is.exec(plain) ?? []
  if (!/^file:/i.test(plain)) return /^(?:https?|ftp|mhtml|ms-[\w-]+):|^\/\//i.test(plain)
  if (/^(?:localhost\/)?[a-z][:|]/i.test(rest)) return false
  return slashes.length === 2 ? !/^localhost\//i.test(rest) : slashes.length > 3
}
