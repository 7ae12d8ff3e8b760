import { z } from 'zod'
import { WrittenAddress } from '#lib/email-address.ts'

/** Matches line breaks and control characters, which a header cannot contain (RFC 5322 §2.2). */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]/u

export const line = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !breaks.test(text), { error: 'must not contain line breaks or control characters' })

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

export const Part = z
  .string()
  .min(1)
  .max(1024 * 1024)
  .refine((text) => !control.test(text), { error: 'must not contain control characters except tabs and line breaks' })

/** Fields by which a message or a campaign opts out of the tracking of its domain. */
export const trackingFields = {
  track_opens: z
    .boolean()
    .nullable()
    .optional()
    .describe(
      '`false`: opens are not tracked. Default: the setting of the domain. `true` has no effect if the domain does not track opens.',
    ),
  track_clicks: z
    .boolean()
    .nullable()
    .optional()
    .describe(
      '`false`: clicks are not tracked. Default: the setting of the domain. `true` has no effect if the domain does not track clicks.',
    ),
}

/** The maximum is the length of a header line (RFC 5322 §2.1.1). */
export const Subject = line(998).min(1)

export const DisplayName = line(200)

export const From = z.strictObject({
  email: WrittenAddress.describe('Address on one of your verified domains that the key can send from'),
  name: DisplayName.optional(),
})

const reserved = new Set(
  (
    'from to cc bcc sender reply-to date subject message-id mime-version return-path authentication-results feedback-id ' +
    'received received-spf delivered-to x-original-to apparently-to errors-to envelope-to'
  ).split(' '),
)
const reservedFamilies = /^(content|dkim|domainkey|arc|list|resent|bimi|x-millrace)-/

/** Schema of additional headers. Headers that every email has, or that receiving servers evaluate, are not allowed. */
export const Headers = z
  .record(z.string(), line(998))
  .check((context) => {
    const seen = new Set<string>()
    const names = Object.keys(context.value)
    if (names.length > 30) {
      context.issues.push({ code: 'custom', message: 'must have at most 30 headers', input: context.value })
      return
    }
    for (const name of names) {
      const issue = faultOf(name, seen)
      seen.add(name.toLowerCase())
      if (issue) context.issues.push({ code: 'custom', message: issue, input: context.value, path: [name] })
    }
  })
  .describe(
    'Additional headers. Names can contain letters, digits and hyphens. Headers that every email has, and `Content-*`, `List-*`, `DKIM-*` and `ARC-*`, are not allowed.',
  )

/** True if clients cannot set a header. `name` is in lower case. */
export const isReservedHeader = (name: string): boolean => reserved.has(name) || reservedFamilies.test(name)

function faultOf(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[A-Za-z0-9-]{1,76}$/.test(name)) return 'must have a name of letters, digits and dashes'
  const lower = name.toLowerCase()
  if (isReservedHeader(lower)) return 'cannot be set. Millrace sets this header.'
  return seen.has(lower) ? 'is set twice' : undefined
}

/** The key of an email topic. It cannot change, because choices and messages refer to it. */
export const TopicKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must contain only a–z, 0–9, - and _, and must start with a letter or digit')
  .describe('Key of a topic, such as `product-news`')
