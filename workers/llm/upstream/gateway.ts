import type { Stream } from 'openai/core/streaming'
import type { CompletionRequest, Gateway } from '#tasks/ai/rules/gateway.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { connect, type Server } from './connection.ts'
import { createEmbedding } from './embed.ts'
import { tryInOrder } from './in-order.ts'
import { embeddingModelsOf, findOffers, type Offer, requireOffers } from './offers.ts'
import { readForwardedAnswer } from './passed.ts'
import { createPassedStream } from './passed-stream.ts'

/** Maximum size of a streamed response in bytes. It allows about 60,000 tokens in separate parts. */
const maxBytes = 16 * 1024 * 1024

const path = '/chat/completions'

export function createGateway(servers: readonly Server[], asker: string): Gateway {
  const offers = (asked: string) => requireOffers(servers, asked, ({ settings }) => settings.models)

  return {
    complete: async (request, signal) =>
      await tryInOrder(offers(request.model), async ({ server, model }, hasOther) => {
        const { client, send } = connect(server, asker, {
          hasOther,
          withinMs: completionTimeoutMs,
          parameters: server.passing,
        })
        const raw = await send(signal, (either) => {
          const body = server.passing.fit({ ...bodyOf(request, model), stream: false })
          return client.post<unknown>(path, { body, signal: either })
        })
        return readForwardedAnswer(raw, request, model)
      }),
    async stream(request, signal, tell) {
      const heard = createPassedStream(request, tell)
      const answer = async ({ server, model }: Offer, hasOther: boolean) => {
        const { client, send } = connect(server, asker, {
          hasOther,
          withinMs: completionTimeoutMs,
          maxBytes,
          parameters: server.passing,
        })
        try {
          await send(signal, async (either) => {
            const streamed = { ...bodyOf(request, model), stream: true, stream_options: { include_usage: true } }
            const body = server.passing.fit(streamed)
            const chunks = await client.post<Stream<unknown>>(path, { body, signal: either, stream: true })
            for await (const chunk of chunks) await heard.take(chunk, model)
          })
          await heard.end()
        } catch (error) {
          throw heard.broken(error)
        }
        return { engine: 'upstream' as const, model, usage: heard.usage() }
      }
      return await tryInOrder(offers(request.model), answer, () => heard.begun)
    },
    embeddingModel: (asked) => findOffers(servers, asked, embeddingModelsOf)[0]?.model,
    embed: createEmbedding(servers, asker),
  }
}

function bodyOf(request: CompletionRequest, model: string): Record<string, unknown> {
  const { stream: _stream, stream_options: _options, ...rest } = request
  return { ...rest, model }
}
