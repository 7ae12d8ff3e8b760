import { z } from 'zod'
import * as upstreams from '#sql/ai/upstreams.ts'
import { route } from '../http/route.ts'
import { openAiErrorBody } from './openai-problem.ts'

/** The models that requests may ask for. */
export const list = route({
  method: 'GET',
  path: '/models',
  beyondContract: true,
  summary: 'The models that may be asked for, in OpenAI’s shape',
  description:
    'In the order in which the operator has them; `default` leaves the choice to the operator. Without an upstream the list is empty.',
  scope: 'ai:invoke',
  testKeys: 'shared',
  locks: [],
  status: 200,
  reply: z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string(),
        object: z.literal('model'),
        created: z.int(),
        owned_by: z.string().describe('The first upstream that has it'),
        kind: z.enum(['chat', 'embedding']),
      }),
    ),
  }),
  problemBody: openAiErrorBody,
  async handle({ db }) {
    const known = await upstreams.list(db)
    const models = known.flatMap(({ name, models, embedding_models }) => [
      ...models.map(({ asked }) => ({ id: asked, owned_by: name, kind: 'chat' as const })),
      ...embedding_models.map(({ asked }) => ({ id: asked, owned_by: name, kind: 'embedding' as const })),
    ])
    const first = models.filter(({ id }, i) => models.findIndex((one) => one.id === id) === i)
    return { object: 'list', data: first.map((model) => ({ ...model, object: 'model' as const, created: 0 })) }
  },
})
