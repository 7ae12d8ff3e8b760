import { config, requireVariable } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/account/streams/streams.ts'
import { observeStreams } from '#tasks/account/rules/streams/observe.ts'
import { wakeStreams } from '#tasks/account/rules/streams/wake-streams.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createStreamEngine } from './engine.ts'
import { runWakeClock } from './wake-clock.ts'

export const streams: PoolDeclaration<'streams'> = {
  concurrency: config.LOG_STREAM_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () =>
    config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET, which decrypts the secrets of log streams, is not set',
  tools: async ({ db, ends }) => {
    const { engine, close } = createStreamEngine(db)
    ends.defer(close)
    ends.defer(observeStreams(db))
    ends.use(runWakeClock(() => wakeStreams(db)))
    return { engine, seal: createSeal(requireVariable('SIGNING_SECRET'), sealPurpose) }
  },
}
