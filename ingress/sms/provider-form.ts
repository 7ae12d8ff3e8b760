import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'
import { Sender } from './fields.ts'

/** Schema of a secret from a provider. It cannot contain spaces or characters that could end a header. */
const printable = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII without spaces')

const PrivateKey = z.string().max(10_000).refine(isRsaKey, 'must be an RSA private key in PEM format')

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

export const Twilio = z.strictObject({
  account_sid: z.string().regex(/^AC[0-9a-fA-F]{32}$/, 'must be an account SID: AC and 32 hexadecimal digits'),
  auth_token: secret(printable(200)).describe('Also the key of the signatures of callbacks'),
  messaging_service_sid: z
    .string()
    .regex(/^MG[0-9a-fA-F]{32}$/, 'must be a messaging service SID: MG and 32 hexadecimal digits')
    .optional()
    .describe('The messaging service chooses the sender'),
})

export const Vonage = z.strictObject({
  api_key: printable(50),
  api_secret: secret(printable(200)).optional().describe('Required without `application_id`'),
  application_id: z.uuid().optional().describe('Application whose private key signs requests'),
  private_key: secret(PrivateKey).optional().describe('Required with `application_id`'),
  signature_secret: secret(printable(200)).describe('Key of the signatures of callbacks'),
})

const Path = z
  .string()
  .regex(/^[\w-]{1,50}(\.[\w-]{1,50}){0,7}$/, 'must be a path of up to 8 names or indexes, such as messages.0.id')

const Header = z.string().regex(/^[A-Za-z0-9-]{1,60}$/, 'must be the name of a header')

/** Headers that the HTTP client sets. */
const ownHeaders = new Set(['host', 'content-length', 'transfer-encoding', 'connection', 'expect', 'upgrade', 'te'])

const Headers = z
  .record(
    Header,
    z
      .string()
      .max(2_000)
      .regex(/^[\x20-\x7e]*$/, 'must contain only printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'must have at most 20 headers')
  .refine(
    (headers) => !Object.keys(headers).some((name) => ownHeaders.has(name.toLowerCase())),
    'cannot contain Host, Content-Length, Connection, Transfer-Encoding, Expect, Upgrade and TE',
  )

const maxTemplate = 10_000

const Body = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((body) => JSON.stringify(body).length <= maxTemplate, `must have at most ${maxTemplate} characters as JSON`)
  .refine((body) => !isDeep(body, 6), 'must have at most 6 levels')
  .refine((body) => JSON.stringify(body).includes('{{to}}'), 'must contain {{to}}')
  .refine((body) => JSON.stringify(body).includes('{{text}}'), 'must contain {{text}}')

const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)))

const Callback = z.strictObject({
  secret: secret(printable(200)).describe('Key of the HMAC-SHA256 of the body, in hexadecimal or base64'),
  signature_header: Header.default('x-signature').describe('Header with the signature'),
  id_path: Path.optional().describe('Path of the provider’s ID, or of `{{id}}`'),
  status_path: Path.optional(),
  error_path: Path.optional().describe('Path of the error code'),
  statuses: z
    .record(z.string().min(1).max(60), z.enum(['sent', 'delivered', 'undelivered', 'failed']))
    .refine((statuses) => Object.keys(statuses).length <= 40, 'must have at most 40 statuses')
    .default({})
    .describe('Status of Millrace by status of the provider. Other statuses are ignored.'),
  from_path: Path.optional().describe('Path of the sender of a received message'),
  to_path: Path.optional(),
  text_path: Path.optional(),
})

export const Http = z.strictObject({
  url: z.string().min(1).max(2_048).describe('URL that accepts messages'),
  method: z.enum(['POST', 'PUT']).default('POST'),
  format: z.enum(['json', 'form']).default('json'),
  headers: secret(Headers).default({}).describe('Headers of each request, such as Authorization'),
  body: Body.describe('Body with the placeholders `{{to}}`, `{{text}}`, `{{from}}`, `{{id}}` and `{{callback_url}}`'),
  id_path: Path.optional().describe('Path of the message ID in the response'),
  callback: Callback.optional(),
})

const shared = {
  name: z.string().trim().min(1).max(100),
  from: Sender.nullable().describe('Sender of messages without `from`'),
  per_second: z.int().min(1).max(1_000).describe('Maximum number of messages per second'),
  default: z.boolean().describe('True for the connection of messages without `provider_id`'),
}

const byKind = { twilio: Twilio.optional(), vonage: Vonage.optional(), http: Http.optional() }

export const kinds = ['twilio', 'vonage', 'http'] as const

export const ProviderForm = z
  .strictObject({
    name: shared.name,
    kind: z.enum(kinds),
    from: shared.from.optional(),
    per_second: shared.per_second.default(10),
    default: shared.default.optional().describe('Default: true for the first connection'),
    ...byKind,
  })
  .superRefine((form, { addIssue }) => {
    for (const kind of kinds) {
      const isGiven = form[kind] !== undefined
      if (kind === form.kind && !isGiven)
        addIssue({ code: 'custom', path: [kind], message: `is required for the kind ${kind}` })
      if (kind !== form.kind && isGiven)
        addIssue({ code: 'custom', path: [kind], message: `cannot be used with the kind ${form.kind}` })
    }
    const { vonage } = form
    if (form.kind === 'vonage' && vonage) checkVonage(vonage, addIssue)
  })

export type ProviderForm = z.output<typeof ProviderForm>

type AddIssue = (issue: { code: 'custom'; path: string[]; message: string }) => void

export function checkVonage(
  { api_secret, application_id, private_key }: Partial<z.output<typeof Vonage>>,
  addIssue: AddIssue,
): void {
  const need = (field: string, message: string) => addIssue({ code: 'custom', path: ['vonage', field], message })
  if (application_id === undefined && private_key !== undefined)
    need('application_id', 'is required with `private_key`')
  if (application_id !== undefined && private_key === undefined)
    need('private_key', 'is required with `application_id`')
  if (application_id === undefined && api_secret === undefined)
    need('api_secret', 'is required without `application_id`')
}

export const ProviderChanges = z
  .strictObject({
    name: shared.name.optional(),
    from: shared.from.optional(),
    per_second: shared.per_second.optional(),
    default: z.literal(true).optional().describe('Makes this the default connection'),
    ...byKind,
  })
  .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
    error: 'must contain at least one field',
  })
