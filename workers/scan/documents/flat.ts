import type { Reason } from '#tasks/files/engine.ts'
import { chunksOf, type Source } from '../source.ts'

const overlap = 4096

/**
 * Marks of office documents that consist of one file: Word 2003, Flat OPC, OpenDocument, and a page with its parts in
 * MIME.
 */
const office = /schemas\.microsoft\.com\/office|opendocument:xmlns:office|^MIME-Version:/im

const macros = [
  /\bmacrosPresent\s{0,99}=\s{0,99}["']yes/i,
  /<[^\s<>:]*:?docSuppData[\s>]/,
  /name\s{0,99}=\s{0,99}["'][^"'<>]{0,999}(?:vbaProject\.bin|editdata\.mso)/i,
  /<[^\s<>:]*:source-code[\s>]/,
  // First bytes of Office macros, `ActiveMime`, in base 64.
  /QWN0aXZlTWltZ/,
]

export const canBeFlat = (head: Buffer): boolean => office.test(head.toString('latin1').replaceAll('\0', ''))

export async function findFlatMacros(source: Source): Promise<Reason[]> {
  let kept = ''
  for await (const chunk of chunksOf(source)) {
    const text = kept + chunk.toString('latin1').replaceAll('\0', '')
    if (macros.some((pattern) => pattern.test(text)))
      return [{ code: 'macros', detail: 'The document contains macros.' }]
    kept = text.slice(-overlap)
  }
  return []
}
