import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { badRequest } from '#lib/errors.ts'
import { catalogue, type Product } from '#tasks/identity/rules/catalogue.ts'

/** The subject identifier at the customer's identity provider. */
export const idp_sub = z
  .string()
  .min(1)
  .max(255)
  .regex(withoutControl, 'must be text without control characters')
  .optional()
  .describe('Subject identifier at your identity provider. Omit it for the organisation itself.')

/** The key of a product. */
export const product = z.string().max(100).optional().describe('Key of a product in the catalogue')

/** A subject as rows have it. */
export const subjectOf = (idpSub: string | undefined): string => idpSub ?? ''

/** A subject as answers have it. */
export const shownSubject = (subject: string): string | null => (subject === '' ? null : subject)

/** The product that a request names, else the catalogue's default; throws 400 for one that is not in it. */
export function productOf(key: string | undefined): Product {
  const { products, default_product } = catalogue()
  const found = products.find((one) => one.product === (key ?? default_product))
  if (found) return found
  const known = products.map((one) => one.product).join(', ')
  throw badRequest([{ field: 'query.product', issue: `must be a product of the catalogue: ${known}` }])
}
