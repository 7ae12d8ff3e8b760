import { createFairSlots } from '#lib/slots.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from '../embedded/engine.ts'
import { answer, chat } from './answer.ts'
import { createUpstream } from './client.ts'
import type { Server } from './connection.ts'
import { createGateway } from './gateway.ts'
import { readModeration } from './moderate.ts'
import { embeddingModelsOf, findOffers } from './offers.ts'
import { classify, summarize } from './texts.ts'

/** Delay in milliseconds before moderation is tried again on a server without it. The server may have been replaced. */
const askAgainMs = 10 * 60_000

const nobody = ''

/** Name in prices for the moderation of a server without a configured model. */
const defaultModeration = 'moderation'

/**
 * Creates the engine for models on servers, which are tried in order. If the first server has no moderation, the
 * embedded engine moderates. One organisation can have `share` concurrent requests.
 */
export function createUpstreamEngine(servers: readonly [Server, ...Server[]], share: number): LanguageEngine {
  const seats = createFairSlots({ slots: Number.POSITIVE_INFINITY, slotsOfOne: share })
  const embedded = createEmbeddedEngine()
  let askFrom = 0

  const engineOf = (orgId: string): LanguageEngine => {
    const upstream = createUpstream(servers, orgId)
    const signed = <T extends object>(work: T) => ({ ...work, engine: 'upstream' as const, model: upstream.model })
    return {
      chat: async (request, signal, onDelta) => signed(await chat(upstream, request, signal, onDelta)),
      answer: async (request, signal) => signed(await answer(upstream, request, signal)),
      summarize: async (request, signal) => signed(await summarize(upstream, request, signal)),
      classify: async (request, signal) => signed(await classify(upstream, request, signal)),
      async moderate(input, signal) {
        if (performance.now() >= askFrom) {
          const raw = await upstream.moderate(input, signal)
          if (raw !== null) return { ...readModeration(raw, input), engine: 'upstream' }
          askFrom = performance.now() + askAgainMs
        }
        return await embedded.moderate(input, signal)
      },
      gateway: createGateway(servers, orgId),
      modelsFor(operation, asked) {
        if (operation === 'moderate') return [servers[0].settings.moderationModel ?? defaultModeration]
        const of = operation === 'embedding' ? embeddingModelsOf : ({ settings }: Server) => settings.models
        return [...new Set(findOffers(servers, asked, of).map(({ model }) => model))]
      },
      close: () => embedded.close(),
    }
  }
  return {
    ...engineOf(nobody),
    seat(orgId, isBackground) {
      const seat = seats.tryTake(orgId, isBackground ? Math.ceil(share / 2) : share)
      return seat ? { engine: engineOf(orgId), leave: () => seat[Symbol.dispose]() } : null
    },
  }
}
