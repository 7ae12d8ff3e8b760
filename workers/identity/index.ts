import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openScratch } from '../media/scratch.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { lacksReader, engineName as readerName } from './document/programs.ts'
import { createDocumentReader } from './document/reader.ts'
import { createFaceEngine, engineName } from './engine.ts'

/**
 * The pool that compares faces and reads documents: one thread a process for faces, as WebAssembly has one here, and a place
 * beside it, so that neither waits for the other. Where documents cannot be read, faces are compared all the same.
 */
export const identity: PoolDeclaration<'identity'> = {
  concurrency: 2,
  engines: [engineName, readerName],
  lacks: async () => undefined,
  tools: async ({ ends, storage }) => {
    const why = await lacksReader()
    if (why) log.warn({ why }, 'documents are not read here')
    const faces = createFaceEngine()
    ends.defer(() => faces.close())
    // A folder of its own: what lies there belongs to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'identity-scratch'), storage, async () => [])
    ends.defer(() => scratch.close())
    const documents = createDocumentReader(scratch)
    ends.defer(() => documents.close())
    return { faces, documents, storage }
  },
}
