import { makeCertificate } from '../../../test/support/push-servers/certificate.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import type { LoadResult, LoadSettings } from './push/load.ts'
import type { SinkPorts } from './push/sink.ts'

const providers = { apns: 'APNs', fcm: 'FCM', webpush: 'web push' } as const
const limits = {
  apns: 'node:http2, one session, one provider token',
  fcm: 'node:https over kept connections',
  webpush: 'node:crypto and undici, signed once',
} as const
/** Maximum CPU of the product as a factor of the limit. */
const atMost: Record<Provider, number> = { apns: 1.2, fcm: 1.5, webpush: 1.25 }
const sides = ['limit', 'product'] as const

type Provider = keyof typeof providers
type LoadResults = Record<Provider, Record<(typeof sides)[number], LoadResult[]>>

export const push: Benchmark = {
  summary: 'CPU per push for each client, compared with the plain protocol of its provider',
  options: {
    seconds: { about: 'seconds of each measurement', default: 3 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ seconds = 3, rounds = 3 }, ends) {
    const { cert, key } = await makeCertificate({ teardown: (end) => ends.defer(end) })
    const sink = startChild('push/sink.ts', { cert, key })
    ends.defer(() => sink.end())
    const ports = await sink.next<SinkPorts>()
    const found: LoadResults = {
      apns: { limit: [], product: [] },
      fcm: { limit: [], product: [] },
      webpush: { limit: [], product: [] },
    }
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? sides : sides.toReversed()
      for (const provider of Object.keys(providers) as Provider[]) {
        for (const side of order) {
          const settings: LoadSettings = { provider, side, ports, cert, seconds }
          const loaded = await runChild<LoadResult>('push/load.ts', settings)
          found[provider][side].push(loaded)
          const speed = `${loaded.cpuMicroseconds.toFixed(1)} µs, ${Math.round(loaded.perSecond)}/s`
          console.log(`  ${providers[provider]}, ${side}: ${speed}`)
        }
      }
    }
    return {
      comparisons: (Object.keys(providers) as Provider[]).map((provider) => ({
        what: `CPU of a push, ${providers[provider]}`,
        unit: 'µs',
        limit: median(found[provider].limit.map(({ cpuMicroseconds }) => cpuMicroseconds)),
        product: median(found[provider].product.map(({ cpuMicroseconds }) => cpuMicroseconds)),
        demand: { atMost: atMost[provider] },
      })),
      notes: [
        `medians of ${rounds} rounds of ${seconds} s over TLS to servers that accept everything; every push has a different payload`,
        ...(Object.keys(providers) as Provider[]).map((provider) => {
          const [bare, ours] = sides.map((side) => median(found[provider][side].map(({ perSecond }) => perSecond)))
          return `${providers[provider]}: the limit is ${limits[provider]}; ${Math.round(bare ?? 0)}/s and ${Math.round(ours ?? 0)}/s of one process`
        }),
      ],
      rounds: found,
    }
  },
}
