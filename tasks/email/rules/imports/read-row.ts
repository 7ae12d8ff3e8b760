import { isIP } from 'node:net'
import { z } from 'zod'
import { Address, WrittenAddress } from '#lib/email-address.ts'
import { InstantInput } from '#lib/input-types.ts'
import { Reason } from '#sql/email/contacts/suppressions.ts'
import type { ImportRow } from '#sql/email/import-rows.ts'
import { maxPerOrg } from '#sql/email/topics.ts'

const breaks = /[\p{Cc}\p{Zl}\p{Zp}]/u

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !breaks.test(text), { error: 'must not contain line breaks or control characters' })

/** Schema of a past time: a date, or a time with its offset. A little in the future is a different clock. */
const Past = z
  .string()
  .trim()
  .transform((text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text.replace(/^(\S+) (?=\d\d:)/, '$1T')))
  .pipe(InstantInput)
  .refine((at) => Date.parse(at) <= Date.now() + 60_000, { error: 'must be in the past' })

export const SuppressionRow = z.object({
  email: Address,
  reason: z.string().trim().toLowerCase().pipe(Reason).default('manual'),
  detail: line(500).optional(),
  created_at: Past.optional(),
})

export type SuppressionRow = z.output<typeof SuppressionRow>

export const ConsentRow = z.object({
  email: WrittenAddress,
  source: line(200).min(1),
  given_at: Past,
  ip: z
    .string()
    .trim()
    .refine((text) => isIP(text) !== 0, { error: 'must be an IP address' })
    .optional(),
  text_version: line(200).optional(),
  name: line(200).optional(),
  topics: z
    .string()
    .transform((text) => [...new Set(text.split(/[,;|]/).flatMap((key) => key.trim() || []))])
    .refine((keys) => keys.length <= maxPerOrg, { error: `must be at most ${maxPerOrg} topics` })
    .default([]),
})

export type ConsentRow = z.output<typeof ConsentRow>

export const importFields = {
  suppressions: Object.keys(SuppressionRow.shape),
  consents: Object.keys(ConsentRow.shape),
} as const

/** Reads a row. Empty fields count as missing. Returns the reason if the row is invalid. */
export function readRow<S extends z.ZodType>(schema: S, { fields }: Pick<ImportRow, 'fields'>): z.output<S> | string {
  const given = Object.fromEntries(Object.entries(fields).filter(([, text]) => text.trim() !== ''))
  const read = schema.safeParse({ ...given, ...(given.email !== undefined && { email: given.email.trim() }) })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = String(issue?.path[0] ?? 'row')
  return given[field] === undefined ? `${field}: is required` : `${field}: ${issue?.message}`
}
