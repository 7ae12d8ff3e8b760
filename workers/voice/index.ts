import { config } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import { createCallRecords } from '#tasks/voice/rules/call-records.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { openSwitchboard } from './switchboard.ts'
import { readTlsKeys } from './tls-means.ts'
import { readTrunks } from './trunk.ts'

const active = watchedGauge('millrace_voice_calls_active', 'Calls that this process holds.', [])

/** Pool for calls over SIP trunks. Without a trunk, the worker does nothing, and the API rejects calls. */
export const voice: PoolDeclaration<'voice'> = {
  concurrency: config.SIP_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () => undefined,
  tools: async ({ db, ends, workerId }) => {
    const [first, ...others] = readTrunks(config.SIP_TRUNKS, config.SIP_PASSWORDS)
    if (!first) return { calls: noTrunk }
    const switchboard = await openSwitchboard({
      records: createCallRecords(db, workerId),
      leaseMs: config.LEASE_MS,
      trunks: [first, ...others],
      host: config.SIP_HOST,
      port: config.SIP_PORT,
      publicAddress: config.SIP_PUBLIC_ADDRESS,
      tls: await readTlsKeys(),
      capacity: config.SIP_CAPACITY,
      callsPerSecond: config.SIP_CALLS_PER_SECOND,
    })
    ends.defer(() => switchboard.close())
    ends.defer(active.watch(() => [{ labels: {}, value: switchboard.active() }]))
    return { calls: switchboard }
  },
}

const noTrunk = {
  async dial() {
    throw new Permanent('SIP_TRUNKS is not set on this worker.')
  },
}
