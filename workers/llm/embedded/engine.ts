import { availableParallelism } from 'node:os'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { type LanguageEngine, LanguageEngineError } from '#tasks/ai/engine.ts'
import { getActionAnswer } from './said-by-action.ts'
import type { Piece, WorkResult, work } from './works.ts'

/** Analysing the largest text takes about a second (measured). A much longer time indicates a bug. */
const limits = { threads: Math.min(4, Math.max(1, availableParallelism() - 1)), seconds: 30, megabytes: 256 }

/** Creates the embedded engine, which compares words and only quotes its documents. */
export function createEmbeddedEngine(): LanguageEngine {
  const threads = threadPool<typeof work>(new URL('./works.ts', import.meta.url), limits)

  async function done<Name extends Piece['name']>(
    piece: Piece & { name: Name },
    signal: AbortSignal,
  ): Promise<WorkResult<Name>> {
    try {
      return (await threads.run(piece, signal)) as WorkResult<Name>
    } catch (error) {
      signal.throwIfAborted()
      throw Object.assign(failed(error), { cause: error })
    }
  }

  return {
    async chat({ actions, ...request }, signal, onDelta) {
      const said = actions && (await getActionAnswer(request, actions))
      const reply = said ?? (await done({ name: 'chat', request }, signal))
      if (reply.content !== '') onDelta?.(reply.content)
      return reply
    },
    answer: (request, signal) => done({ name: 'answer', request }, signal),
    summarize: (request, signal) => done({ name: 'summarize', request }, signal),
    classify: (request, signal) => done({ name: 'classify', request }, signal),
    moderate: (request, signal) => done({ name: 'moderate', request }, signal),
    async rerank(request, signal) {
      if (request.model !== defaultModel) throw noSuchModel()
      return await done({ name: 'rerank', request }, signal)
    },
    close: () => threads.close(),
  }
}

const noSuchModel = () =>
  new LanguageEngineError('upstream_error', 'No upstream server has this model.', {
    engine: 'embedded',
    requestFault: { kind: 'model_not_found' },
  })

function failed(error: unknown): LanguageEngineError {
  const why = error instanceof ThreadLimitError ? error.message : 'It failed.'
  return new LanguageEngineError('upstream_error', `The embedded engine failed: ${why}`, {
    retryable: true,
    engine: 'embedded',
  })
}
