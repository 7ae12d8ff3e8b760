import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createFaceEngine, engineName } from './engine.ts'

/** The pool that compares faces: one thread a process, as WebAssembly has one here. */
export const identity: PoolDeclaration<'identity'> = {
  concurrency: 1,
  engines: [engineName],
  lacks: async () => undefined,
  tools: async ({ ends }) => {
    const faces = createFaceEngine()
    ends.defer(() => faces.close())
    return { faces }
  },
}
