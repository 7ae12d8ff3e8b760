import type { Reason } from '#tasks/files/engine.ts'
import { RefusalError } from '../refusal.ts'
import type { Source } from '../source.ts'
import { attributesOf, isRemote, resolveReferences, tagsIn } from './xml.ts'

const macroEntries = [
  /(^|\/)vbaProject\.bin$/i,
  /^xl\/macrosheets\//i,
  /(^|\/)Basic\/[^/]+\/(?!script-lb\.xml|dialog-lb\.xml)[^/]+\.xml$/i,
  /^Scripts\/.+[^/]$/i,
]

export function findMacroName(name: string): Reason | null {
  return macroEntries.some((pattern) => pattern.test(name))
    ? { code: 'macros', detail: 'The document contains macros.' }
    : null
}

const isTypes = (name: string) => /(^|\/)\[Content_Types\]\.xml(\/|$)/i.test(name)
const isLinks = (name: string) => /(^|\/)_rels\/[^/]*\.rels(\/|$)/i.test(name)

/**
 * True if a part of an Open XML document describes other parts. Names are compared without case, and parts can be
 * split.
 */
export const isOfficePart = (name: string): boolean => isTypes(name) || isLinks(name)

/** Maximum size in bytes. A sheet can have 65,530 links. */
const largest = 16 * 1024 ** 2

export async function findOfficeFaults(names: string[], source: Source): Promise<Reason[]> {
  if (source.size > largest)
    throw new RefusalError('suspicious', 'malformed_document', 'The list of parts is larger than any program writes.')
  const text = (await source.read(0, largest)).toString('utf8').replace(/\0/g, '')
  const resolved = resolveReferences(text)
  const faults: Reason[] = []
  if (names.some(isTypes) && namesMacros.test(resolved))
    faults.push({ code: 'macros', detail: 'The list of parts of the document names macros.' })
  if (names.some(isLinks) && refersToMacros.test(resolved))
    faults.push({ code: 'macros', detail: 'A part of the document refers to macros.' })
  if (names.some(isLinks) && fetches(text))
    faults.push({
      code: 'remote_template',
      detail: 'The document loads a template or an object from the network when it is opened.',
    })
  return faults
}

const namesMacros = /macroEnabled|vbaProject|ms-excel\.(?:intl)?macrosheet/i
const refersToMacros = /relationships\/(?:vbaProject|xlMacrosheet|xlIntlMacrosheet)/i
const opened =
  /relationships\/(?:attachedTemplate|oleObject|package|control|frame|subDocument|aFChunk|ui\/extensibility)$/i

function fetches(text: string): boolean {
  for (const tag of tagsIn(text)) {
    const link = /target/i.test(tag) ? attributesOf(tag) : null
    if (opened.test((link?.get('type') ?? '').trim()) && isRemote((link?.get('target') ?? '').trim())) return true
  }
  return false
}
