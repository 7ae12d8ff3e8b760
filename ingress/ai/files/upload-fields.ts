import { z } from 'zod'
import { fileName } from '#lib/characters.ts'
import { badRequest, type Fault } from '#lib/errors.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import type { FormPart } from '../../http/request/multipart-form.ts'
import { Purpose } from './fields.ts'

interface Upload {
  bytes: Buffer
  filename: string
  contentType: string
  purpose: z.output<typeof Purpose>
  expiresAt: Date | null
}

const FileName = z
  .string('must have a file name')
  .min(1, 'must have a file name')
  .max(255, 'must have a file name of at most 255 characters')
  .regex(fileName, 'must have a file name without folders or control characters')
  .refine((name) => name !== '.' && name !== '..', 'must have a file name')

const longestExpiry = 30 * 86_400

const Fields = z.strictObject({
  purpose: z.enum(Purpose.options, 'must be `assistants` or `user_data`'),
  'expires_after[anchor]': z.literal('created_at', 'must be `created_at`').optional(),
  'expires_after[seconds]': z.coerce
    .number(`must be a whole number from 3600 to ${longestExpiry}`)
    .int()
    .min(3_600, 'must be at least 3600')
    .max(longestExpiry, `must be at most ${longestExpiry}`)
    .optional(),
})

const otherType = 'application/octet-stream'

const isName = (text: string): boolean => text !== '' && text.length <= 100 && !/[^\w.+-]/.test(text)

const isType = (text: string): boolean => {
  const [kind = '', name = '', ...more] = text.split('/')
  return more.length === 0 && isName(kind) && isName(name)
}

/** Returns the file and the fields of an upload. Throws 400 with every invalid field. */
export function readUpload(parts: readonly FormPart[]): Upload {
  const names = parts.map(({ name }) => name)
  const repeated = [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
  const faults: Fault[] = repeated.map((name) => ({ field: `body.${name}`, issue: 'must be sent once' }))
  const file = parts.find(({ name }) => name === 'file')
  const filename = FileName.safeParse(file?.filename ?? undefined)
  if (!file) faults.push({ field: 'body.file', issue: 'is required' })
  else if (!filename.success) faults.push({ field: 'body.file', issue: filename.error.issues[0]?.message ?? '' })
  else if (file.data.length > mostBytes)
    faults.push({ field: 'body.file', issue: `must be at most ${mostBytes} bytes` })
  const given = parts
    .filter(({ name }) => name !== 'file')
    .map(({ name, data }) => [name, data.toString('utf8', 0, 100)])
  const fields = Fields.safeParse(Object.fromEntries(given))
  for (const issue of fields.error?.issues ?? []) faults.push(...toFaults(issue))
  if (!file || !filename.success || !fields.success || faults.length > 0) throw badRequest(faults)
  const { purpose, 'expires_after[seconds]': seconds } = fields.data
  return {
    bytes: file.data,
    filename: filename.data,
    contentType: file.type !== null && isType(file.type) ? file.type : otherType,
    purpose,
    expiresAt: seconds === undefined ? null : new Date(Date.now() + seconds * 1_000),
  }
}

const toFaults = (issue: z.core.$ZodIssue): Fault[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ field: `body.${key.slice(0, 100)}`, issue: 'is not a field of this request' }))
    : [{ field: `body.${issue.path.join('.')}`, issue: issue.message }]
