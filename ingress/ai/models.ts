import { z } from 'zod'
import * as limits from '#sql/ai/key-limits.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { DatabasePool } from '#sql/db.ts'
import { embeddedModel, hasEmbeddedModel } from '#tasks/ai/rules/embedded-model.ts'
import { isAllowed } from '#tasks/ai/rules/key-use.ts'
import { route } from '../http/route.ts'
import { modelNotFound, noSuchModel } from './gateway-problems.ts'
import { openAiErrorBody } from './openai-problem.ts'

const Model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string().describe('First upstream server that has the model. `millrace` for the model inside Millrace.'),
  kind: z.enum(['chat', 'embedding', 'rerank']),
  language: z
    .string()
    .nullable()
    .describe('Only language that the model understands, such as `en`. `null` if unknown.'),
})

export const list = route({
  method: 'GET',
  path: '/models',
  beyondContract: true,
  summary: 'List models (OpenAI format)',
  description:
    'Returns the models that the API key is allowed to use, in the operator’s order. `default` leaves the choice to the operator. The embedding model `use-lite-en` is inside Millrace. The operator can disable it.',
  scope: 'ai:invoke',
  testKeys: 'shared',
  locks: [],
  status: 200,
  reply: z.object({ object: z.literal('list'), data: z.array(Model) }),
  problemBody: openAiErrorBody,
  async handle({ db, key }) {
    return { object: 'list', data: await listKnownModels(db, key.id) }
  },
})

export const get = route({
  method: 'GET',
  path: '/models/{model}',
  beyondContract: true,
  summary: 'Get a model (OpenAI format)',
  description: 'Returns a model from the list. Encode a `/` in its name as `%2F`, as OpenAI’s SDK does.',
  scope: 'ai:invoke',
  testKeys: 'shared',
  locks: [],
  params: z.object({ model: z.string().max(200).describe('Name from `GET /v1/ai/models`') }),
  status: 200,
  reply: Model,
  problemBody: openAiErrorBody,
  problems: [modelNotFound],
  async handle({ params, key, db }) {
    const model = (await listKnownModels(db, key.id)).find(({ id }) => id === params.model)
    if (!model) throw noSuchModel()
    return model
  },
})

async function listKnownModels(db: DatabasePool, keyId: string): Promise<z.input<typeof Model>[]> {
  const models = (await upstreams.list(db)).flatMap(({ name, models, embedding_models, rerank_models }) => [
    ...models.map(({ asked }) => ({ id: asked, owned_by: name, kind: 'chat' as const, language: null })),
    ...embedding_models.map(({ asked }) => ({ id: asked, owned_by: name, kind: 'embedding' as const, language: null })),
    ...rerank_models.map(({ asked }) => ({ id: asked, owned_by: name, kind: 'rerank' as const, language: null })),
  ])
  const { name: id, language } = embeddedModel
  const own = hasEmbeddedModel() ? [{ id, owned_by: 'millrace', kind: 'embedding' as const, language }] : []
  const all = [...models, ...own]
  const bounds = await limits.list(db, keyId)
  const first = all.filter(({ id }, i) => isAllowed(bounds, id) && all.findIndex((one) => one.id === id) === i)
  return first.map((model) => ({ ...model, object: 'model' as const, created: 0 }))
}
