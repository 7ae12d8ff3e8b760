import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openScratch } from '../media/scratch.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { findMissingReader, engineName as readerName } from './document/programs.ts'
import { createDocumentReader } from './document/reader.ts'
import { createFaceEngine, engineName } from './engine.ts'

/** Pool for face comparisons. It uses one thread per process, because WebAssembly uses one. */
export const identity: PoolDeclaration<'identity'> = {
  concurrency: 1,
  share: { none: 'The task compares images in its own thread within seconds and waits for no other system.' },
  engines: [engineName],
  lacks: async () => undefined,
  tools: async ({ ends, storage }) => {
    const faces = createFaceEngine()
    ends.defer(() => faces.close())
    return { faces, storage }
  },
}

/**
 * Pool for documents. An image can take 15 seconds, and face comparisons have 23 seconds in total. If documents cannot
 * be read, every job returns this reason.
 */
export const identityDocuments: PoolDeclaration<'identity-documents'> = {
  concurrency: 2,
  share: { perOrganisation: 1 / 2 },
  engines: [readerName],
  lacks: async () => undefined,
  tools: async ({ ends, storage }) => {
    const why = await findMissingReader()
    if (why) log.warn({ why }, 'this worker cannot read documents')
    // Uses a separate folder, because the files belong to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'identity-scratch'), storage, async () => [])
    ends.defer(() => scratch.close())
    const documents = createDocumentReader(scratch)
    ends.defer(() => documents.close())
    return { documents, storage }
  },
}
