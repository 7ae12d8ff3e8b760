import { LanguageEngineError } from '#tasks/ai/engine.ts'

/** True unless the request itself is invalid. Another server may then succeed. */
function isServersFault(error: unknown): boolean {
  if (!(error instanceof LanguageEngineError)) return false
  return error.code === 'upstream_error' && error.upstreamStatus !== 400 && error.upstreamStatus !== 422
}

/** Tries servers in order. After a failure, tries the next server, unless `begun` reports partial output. */
export async function tryInOrder<One, T>(
  all: readonly One[],
  work: (one: One, hasOther: boolean) => Promise<T>,
  begun: () => boolean = () => false,
): Promise<T> {
  for (const [i, one] of all.entries()) {
    const hasOther = i < all.length - 1
    try {
      return await work(one, hasOther)
    } catch (error) {
      if (!hasOther || begun() || !isServersFault(error)) throw error
    }
  }
  throw new LanguageEngineError('provider_not_configured', 'No upstream server has this model.')
}
