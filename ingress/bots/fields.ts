import { z } from 'zod'
import { pathId } from '../http/request/validate.ts'

/** Path segments that cannot be slugs, because they are or will be paths of the API. */
const reserved = new Set([
  ...['templates', 'directory', 'chat', 'messages', 'documents', 'conversations', 'versions', 'publish', 'withdraw'],
  ...[
    'search',
    'mill-bot',
    'new',
    'me',
    'admin',
    'api',
    'docs',
    'ops',
    'static',
    'assets',
    'settings',
    'health',
    'openapi',
  ],
])

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const Slug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 characters (a-z, 0-9 and -) and must not start or end with -',
  )
  .refine((slug) => !reserved.has(slug), 'must not be a reserved word')
  .refine((slug) => !uuid.test(slug), 'must not look like an ID')

export const botParams = z.object({ botId: pathId('bot') })

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no text that is read has, but line breaks and tabs.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Schema of a string with 1 to `max` characters that is not blank. */
export const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((value) => !control.test(value), 'must not contain control characters')

/** Schema of a string with 1 to `max` characters in one line. */
export const line = (max: number) =>
  text(max).refine((value) => !/[\t\n\r\u0085\u2028\u2029]/.test(value), 'must be one line')

export const UserId = z.string().trim().min(1).max(128)

export const Language = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag, such as en or pt-BR')

export const Category = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must contain only a-z and 0-9, with - between words')

export const Values = z
  .record(z.string().max(64), z.string().max(500))
  .refine((values) => Object.keys(values).length <= 20, 'must have at most 20 names')
