import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { badRequest } from '#lib/errors.ts'
import { catalogue, type Product } from '#tasks/identity/rules/catalogue.ts'

export const idp_sub = z
  .string()
  .min(1)
  .max(255)
  .regex(withoutControl, 'must be text without control characters')
  .optional()
  .describe('Subject identifier at your identity provider. Omit it for the organisation itself.')

export const product = z.string().max(100).optional().describe('Key of a product in the catalogue')

export const toStoredSubject = (idpSub: string | undefined): string => idpSub ?? ''

export const toApiSubject = (subject: string): string | null => (subject === '' ? null : subject)

/** Returns the named product, or the default product of the catalogue. Throws 400 for an unknown product. */
export function demandProduct(key: string | undefined): Product {
  const { products, default_product } = catalogue()
  const found = products.find((one) => one.product === (key ?? default_product))
  if (found) return found
  const known = products.map((one) => one.product).join(', ')
  throw badRequest([{ field: 'query.product', issue: `must be a product in the catalogue: ${known}` }])
}
