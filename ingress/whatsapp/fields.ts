import { z } from 'zod'
import { checkOutboundUrl } from '#lib/http.ts'
import { Id } from '#lib/ids.ts'

export const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((given) => given.trim() !== '', 'must not be blank')

export const ProviderMessageId = z
  .string()
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be a WhatsApp message ID: wamid.…')

/** Schema of a URL from which Meta fetches a file. Millrace does not fetch it. */
const Link = z
  .url({ protocol: /^https$/, error: 'must be an https:// URL', abort: true })
  .max(2_048)
  .refine(isPublic, 'must be a public URL')

function isPublic(link: string): boolean {
  try {
    checkOutboundUrl(new URL(link))
    return true
  } catch {
    return false
  }
}

const file = {
  link: Link.optional(),
  id: z
    .string()
    .regex(/^\w{1,100}$/, 'must be a WhatsApp file ID')
    .optional(),
  object_id: Id.optional().describe('A clean object of the files area. The key also needs the `files:read` scope.'),
}

interface Sources {
  link?: string | undefined
  id?: string | undefined
  object_id?: string | undefined
}

const hasOneSource = ({ link, id, object_id }: Sources) =>
  [link, id, object_id].filter((one) => one !== undefined).length === 1

const oneSource = { error: 'must contain exactly one of `link`, `id` and `object_id`' }

const caption = text(1_024).optional()

/** An image or video: a URL, an object of the files area, or the ID of a file at Meta. */
export const ImageOrVideo = z.strictObject({ ...file, caption }).refine(hasOneSource, oneSource)

export const Document = z
  .strictObject({ ...file, caption, filename: text(240).optional() })
  .refine(hasOneSource, oneSource)

export const Audio = z.strictObject(file).refine(hasOneSource, oneSource)

export const Sticker = z.strictObject(file).refine(hasOneSource, oneSource)

export const ClientReference = z.string().min(1).max(255)
