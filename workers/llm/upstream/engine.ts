import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from '../embedded/engine.ts'
import { answer, chat } from './answer.ts'
import { createServer, createUpstream, type UpstreamSettings } from './client.ts'
import { readModeration } from './moderate.ts'
import { createSeats } from './seats.ts'
import { classify, summarize } from './texts.ts'

/** A server that has no moderation is asked again after so long: it may have been replaced. */
const askAgainMs = 10 * 60_000

/** Who asks where nobody is named. */
const nobody = ''

/** Opens the engine that asks a model of a server; moderation that the server lacks is the embedded engine's. */
export function createUpstreamEngine(settings: UpstreamSettings): LanguageEngine {
  const server = createServer(settings)
  const seats = createSeats(settings.share)
  const embedded = createEmbeddedEngine()
  const signed = { engine: 'upstream', model: settings.model } as const
  let askFrom = 0

  const engineOf = (orgId: string): LanguageEngine => {
    const upstream = createUpstream(server, orgId)
    return {
      chat: async (request, signal, onDelta) => ({ ...(await chat(upstream, request, signal, onDelta)), ...signed }),
      answer: async (request, signal) => ({ ...(await answer(upstream, request, signal)), ...signed }),
      summarize: async (request, signal) => ({ ...(await summarize(upstream, request, signal)), ...signed }),
      classify: async (request, signal) => ({ ...(await classify(upstream, request, signal)), ...signed }),
      async moderate(input, signal) {
        if (performance.now() >= askFrom) {
          const raw = await upstream.moderate(input, signal)
          if (raw !== null) return { ...readModeration(raw, input), engine: 'upstream' }
          askFrom = performance.now() + askAgainMs
        }
        return await embedded.moderate(input, signal)
      },
      close: () => embedded.close(),
    }
  }
  return {
    ...engineOf(nobody),
    seat(orgId) {
      const leave = seats.take(orgId)
      return leave && { engine: engineOf(orgId), leave }
    },
  }
}
