import { z } from 'zod'
import { line } from '../fields.ts'

/** Maximum size of all attachments of a message in bytes, after decoding. Base64 adds a third. */
export const maxAttachmentBytes = 7 * 1024 * 1024

const maxAttachments = 20

/** Pattern of a media type (RFC 2045 §5.1): a type, and parameters whose values are tokens or quoted. */
const mediaType =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+%'*`{|}~-]+|"[\u0020\u0021\u0023-\u005b\u005d-\u007e]*"))*$/

const Attachment = z.strictObject({
  filename: line(255)
    .min(1)
    .refine((name) => !/[/\\]/.test(name), { error: 'must be a file name without a path' }),
  content_type: z
    .string()
    .max(255)
    .regex(mediaType, 'must be a media type, such as application/pdf or text/calendar; charset=utf-8; method=REQUEST')
    .refine((type) => !/^(multipart|message)\//i.test(type), {
      error: 'must have one part (RFC 2046 §5). Attach an email as application/octet-stream.',
    })
    .default('application/octet-stream')
    .describe(
      'Media type with its parameters. Default: `application/octet-stream`. A `text/calendar` file with a `method` is also added as an alternative to the text, so that email clients show the invitation.',
    ),
  content: z
    .string()
    .max(Math.ceil(maxAttachmentBytes / 3) * 4)
    .refine(isBase64, { error: 'must be base64 (RFC 4648 §4) without line breaks' })
    .describe('File content in base64, on one line. Empty string for an empty file.'),
  content_id: z
    .string()
    .max(200)
    .regex(
      /^[A-Za-z0-9._%+-]+(@[A-Za-z0-9.-]+)?$/,
      'must contain only letters, digits and ._%+-, such as logo@example.com',
    )
    .optional()
    .describe('Content ID for showing the file in the HTML: `cid:…` (RFC 2392)'),
})

export const Attachments = z
  .array(Attachment)
  .max(maxAttachments)
  .check(({ value, issues }) => {
    const bytes = value.reduce((sum, { content }) => sum + decodedLength(content), 0)
    const fault = (message: string) => issues.push({ code: 'custom', message, input: value })
    if (bytes > maxAttachmentBytes) fault(`must be at most ${maxAttachmentBytes} bytes in total, but is ${bytes}`)
    const ids = value.flatMap(({ content_id }) => content_id ?? [])
    if (new Set(ids).size < ids.length) fault('must have a different content_id for each file')
  })

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

const decodedLength = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
