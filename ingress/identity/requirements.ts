import { z } from 'zod'
import { catalogue, findRequirement, Requirement } from '#tasks/identity/rules/catalogue.ts'
import { route } from '../http/route.ts'
import { demandProduct, product } from './subject.ts'

export const list = route({
  method: 'GET',
  path: '/requirements',
  summary: 'List the requirements of products',
  description: 'Returns, for each product, the checks that a person must pass. Set `product` to read one product.',
  scope: 'identity:read',
  query: z.object({ product }),
  status: 200,
  reply: z.object({
    data: z.array(
      z.object({
        product: z.string(),
        title: z.string(),
        version: z.int(),
        level: z.int().describe('Level of verification'),
        requirements: z.array(z.object({ ...Requirement.shape, required: z.boolean() })),
      }),
    ),
  }),
  async handle({ query }) {
    const wanted = query.product === undefined ? catalogue().products : [demandProduct(query.product)]
    const data = wanted.map((one) => ({
      ...one,
      requirements: one.requirements.flatMap(({ key, required }) => {
        const found = findRequirement(key)
        return found ? [{ ...found, required }] : []
      }),
    }))
    return { data }
  },
})
