import { askEngine } from '../ask-engine.ts'
import type { Inspection } from '../inspection.ts'
import { type Unpacker, unpackedBy } from '../packed/unpacker.ts'
import { Refusal, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import { Spool } from '../spool.ts'

/** Takes the encryption away that the empty user password opens (ISO 32000-2, 7.6.4), and leaves object streams as they are. */
const qpdf: Unpacker = {
  program: 'qpdf',
  args: ['--decrypt', '--object-streams=preserve', '--stream-data=preserve', '/dev/stdin', '-'],
}

/** Says why an encrypted document is not looked into. */
export const closed = (why: string): Refusal => unreadable('encrypted', `The document is encrypted: ${why}`)

/**
 * Lends `look` an encrypted document as every reader shows it who knows no password, after the engine has read it, too; refuses
 * one that does not open so, and one about which qpdf has anything to say.
 */
export async function withoutPassword<T>(
  inspection: Inspection,
  source: Source,
  path: string[],
  look: (opened: Source) => Promise<T>,
): Promise<T> {
  await using copy = new Spool(inspection)
  await using plain = new Spool(inspection)
  try {
    for await (const chunk of unpackedBy(qpdf, inspection, await copy.stage(source, path))) {
      inspection.unpack(chunk.length)
      await plain.add(chunk)
    }
  } catch (error) {
    throw error instanceof Refusal ? closed(error.message) : error
  }
  const opened = await plain.finish()
  await askEngine(inspection, opened, path)
  return await look(opened)
}
