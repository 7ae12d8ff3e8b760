import { scanWithEngine } from '../ask-engine.ts'
import type { Inspection } from '../inspection.ts'
import { type Unpacker, unpackWith } from '../packed/unpacker.ts'
import { RefusalError, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import { Spool } from '../spool.ts'

/** Removes encryption that the empty user password opens (ISO 32000-2, 7.6.4). Object streams stay unchanged. */
const qpdf: Unpacker = {
  program: 'qpdf',
  args: ['--decrypt', '--object-streams=preserve', '--stream-data=preserve', '/dev/stdin', '-'],
}

export const encryptedDocument = (why: string): RefusalError =>
  unreadable('encrypted', `The document is encrypted. ${why}`)

/**
 * Calls `look` with the decrypted document, as readers show it without a password. The engine scans the decrypted
 * document first. Rejects a document that needs a password or for which qpdf reports a problem.
 */
export async function withDecryptedPdf<T>(
  inspection: Inspection,
  source: Source,
  path: string[],
  look: (opened: Source) => Promise<T>,
): Promise<T> {
  await using copy = new Spool(inspection)
  await using plain = new Spool(inspection)
  try {
    for await (const chunk of unpackWith(qpdf, inspection, await copy.stage(source, path))) {
      inspection.unpack(chunk.length)
      await plain.add(chunk)
    }
  } catch (error) {
    throw error instanceof RefusalError ? encryptedDocument(error.message) : error
  }
  const opened = await plain.finish()
  await scanWithEngine(inspection, opened, path)
  return await look(opened)
}
