import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { notFound } from '#lib/errors.ts'

/** Schema of a channel handle from the client. `@` and capital letters are allowed and normalised. */
export const Handle = z
  .string()
  .trim()
  .toLowerCase()
  .transform((text) => text.replace(/^@/, ''))
  .pipe(
    z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{1,28}[a-z0-9]$/,
        'must be 3 to 30 letters, digits, dots, dashes or underscores, with a letter or digit at both ends',
      ),
  )

/** Returns the normalised handle. Throws 404 if the path cannot be a handle. */
export function parseHandle(given: string): string {
  const handle = Handle.safeParse(given)
  if (!handle.success) throw notFound('channel')
  return handle.data
}

export const Language = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag, such as de or pt-BR')
  .transform(canonical)
  .describe('Language tag, such as `de` or `pt-BR`')

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    return tag.toLowerCase()
  }
}

export const ownFilter = z
  .stringbool()
  .default(false)
  .describe('True to return only entries of your organisation. Default: `false`.')

const printable = (text: string) => !/(?![\n\r\t])\p{Cc}/u.test(text)

export const Description = z
  .string()
  .max(5_000)
  .refine(printable, 'must not contain control characters')
  .describe('Plain text')

export const createNameSchema = (most: number) =>
  z.string().trim().min(1).max(most).regex(withoutControl, 'must not contain control characters')

export const Tags = z.array(createNameSchema(50)).max(30)
