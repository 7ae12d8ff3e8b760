import { availableParallelism } from 'node:os'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { findSandboxFault } from '../sandbox/programs.ts'
import { createImageEngine, engineName } from './engine.ts'
import { createImageSources } from './sources.ts'

/** Pool for variants of images. Each job decodes an image in its own process. */
export const images: PoolDeclaration<'images'> = {
  // At least two, so that the large images of one organisation do not block the images of others.
  concurrency: Math.min(8, Math.max(2, availableParallelism())),
  share: { perOrganisation: 1 / 2 },
  engines: [engineName],
  lacks: findSandboxFault,
  async tools({ storage, ends }) {
    const engine = createImageEngine()
    ends.defer(() => engine.close())
    return { images: engine, sources: createImageSources(storage), storage }
  },
}
