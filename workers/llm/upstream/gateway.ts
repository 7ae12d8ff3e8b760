import type { Stream } from 'openai/core/streaming'
import type { Api } from '#lib/config/ai-upstreams.ts'
import type { Gateway } from '#tasks/ai/rules/gateway.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { connect, type Server } from './connection.ts'
import { dialectOf } from './dialects.ts'
import { createEmbedding } from './embed.ts'
import { tryInOrder } from './in-order.ts'
import { embeddingModelsOf, findOffers, type Offer, requireOffers } from './offers.ts'
import type { PassedStream } from './passed-stream.ts'
import { createRerank } from './rerank.ts'

/** Maximum size of a streamed response in bytes. It allows about 60,000 tokens in separate parts. */
const maxBytes = 16 * 1024 * 1024

const withinMs = completionTimeoutMs

export function createGateway(servers: readonly Server[], asker: string): Gateway {
  const offers = (asked: string, api: Api) =>
    requireOffers(servers, asked, ({ settings: { speaks, models } }) =>
      speaks.includes(api) || speaks.includes('chat') ? models : [],
    )

  return {
    complete: async (request, api, signal) =>
      await tryInOrder(offers(request.model, api), async ({ server, model }, hasOther) => {
        const { path, parametersOf, open } = dialectOf(api, server)
        const { body, read } = open(request, model)
        const parameters = parametersOf(server)
        const { client, send } = connect(server, asker, { hasOther, withinMs, parameters })
        const raw = await send(signal, (either) => {
          return client.post<unknown>(path, { body: parameters.fit({ ...body, stream: false }), signal: either })
        })
        return read(raw)
      }),
    async stream(request, api, signal, tell) {
      let heard: PassedStream | undefined
      const answer = async ({ server, model }: Offer, hasOther: boolean) => {
        const { path, streamOptions, parametersOf, open } = dialectOf(api, server)
        const { body, listen } = open(request, model)
        const parameters = parametersOf(server)
        const { client, send } = connect(server, asker, { hasOther, withinMs, maxBytes, parameters })
        const hears = listen(tell)
        heard = hears
        try {
          await send(signal, async (either) => {
            const streamed = parameters.fit({ ...body, stream: true, ...streamOptions })
            const options = { body: streamed, signal: either, stream: true as const }
            const chunks = await client.post<Stream<unknown>>(path, options)
            for await (const chunk of chunks) await hears.take(chunk, model)
          })
          await hears.end()
        } catch (error) {
          throw hears.broken(error)
        }
        return { engine: 'upstream' as const, model, usage: hears.usage() }
      }
      return await tryInOrder(offers(request.model, api), answer, () => heard?.begun === true)
    },
    embeddingModel: (asked) => findOffers(servers, asked, embeddingModelsOf)[0]?.model,
    embed: createEmbedding(servers, asker),
    rerank: createRerank(servers, asker),
  }
}
