import { createFairSlots } from '#lib/slots.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { answer, chat } from './answer.ts'
import { createUpstream } from './client.ts'
import type { Server } from './connection.ts'
import { createGateway } from './gateway.ts'
import { readModeration } from './moderate.ts'
import { embeddingModelsOf, findOffers, type ModelsOf, modelsOf, rerankModelsOf } from './offers.ts'
import { suggest } from './suggest.ts'
import { classify, summarize } from './texts.ts'

/** Delay in milliseconds before moderation is tried again on a server without it. The server may have been replaced. */
const askAgainMs = 10 * 60_000

const nobody = ''

/** Name in prices for the moderation of a server without a configured model. */
const defaultModeration = 'moderation'

const modelsOfOperation: Readonly<Record<string, ModelsOf>> = { embedding: embeddingModelsOf, rerank: rerankModelsOf }

/**
 * Creates the engine for models on servers, which are tried in order. If the first server has no moderation, the
 * embedded engine moderates. One organisation can have `share` concurrent requests.
 */
export function createUpstreamEngine(
  servers: readonly [Server, ...Server[]],
  share: number,
  embedded: LanguageEngine,
): LanguageEngine {
  const seats = createFairSlots({ slots: Number.POSITIVE_INFINITY, slotsOfOne: share })
  let askFrom = 0

  const engineOf = (orgId: string): LanguageEngine => {
    const upstream = createUpstream(servers, orgId)
    const gateway = createGateway(servers, orgId)
    const signed = <T extends object>(work: T) => ({ ...work, engine: 'upstream' as const, model: upstream.model })
    return {
      chat: async (request, signal, onDelta) => signed(await chat(upstream, request, signal, onDelta)),
      async answer(request, signal) {
        const found = signed(await answer(upstream, request, signal))
        if (found.answered || request.documents.length === 0) return found
        return { ...found, suggestions: await suggest(embedded, request, signal) }
      },
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
      rerank: async (request, signal) =>
        (await gateway.rerank(request, signal)) ?? (await embedded.rerank(request, signal)),
      gateway,
      meaning: embedded.meaning,
      modelsFor(operation, asked) {
        if (operation === 'moderate') return [servers[0].settings.moderationModel ?? defaultModeration]
        const of = modelsOfOperation[operation] ?? modelsOf
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
