import { z } from 'zod'
import { openDocument } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue, documents } from '../http/services.ts'

const OperationSummary = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  summary: z.string(),
  scope: z.union([z.string(), z.array(z.string())]).nullable(),
  test_keys: z
    .enum(['sandbox', 'shared'])
    .nullable()
    .describe(
      '`sandbox`: test keys use separate test data. `shared`: test keys read the same data as live keys. `null`: test keys are rejected.',
    ),
})

const Catalogue = z
  .object({
    version: z.string(),
    areas: z.array(
      z.object({ name: z.string(), title: z.string(), base_path: z.string(), operations: z.array(OperationSummary) }),
    ),
  })
  .meta({ id: 'account.Catalogue' })

export const list = route({
  method: 'GET',
  path: '',
  summary: 'List all operations',
  description:
    'Returns the areas and, for each operation, its method, path, summary and scope. No API key is required.',
  public: true,
  withoutDatabase: true,
  status: 200,
  reply: Catalogue,
  async handle({ services }) {
    const byArea = Map.groupBy(services(catalogue), ({ area }) => area.name)
    const areas = [...byArea.values()].map((operations) => ({
      ...(operations[0] as (typeof operations)[0]).area,
      operations: operations.map((one) => ({ ...one, test_keys: one.testKeys ?? null })),
    }))
    return { version: '1.0.0', areas }
  },
})

export const document = route({
  ...openDocument,
  path: '/openapi.json',
  summary: 'Read the OpenAPI document',
  description: 'Returns one OpenAPI 3.1 document for all areas. No API key is required.',
  async handle({ ctx, services }) {
    await services(documents).send(ctx)
  },
})
