import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/intake/sources.ts'
import { usualTolerance } from '#tasks/intake/rules/schemes.ts'
import { ForwardForm } from './forward-form.ts'

const HeaderName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase())

const Path = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^.\s]+(\.[^.\s]+){0,9}$/, 'must be names separated by dots, such as data.object.id')

export const HmacForm = z
  .strictObject({
    header: HeaderName.describe('Header with the signature'),
    algorithm: rows.Hmac.shape.algorithm.default('sha256'),
    encoding: rows.Hmac.shape.encoding.default('hex'),
    prefix: z
      .string()
      .max(50)
      .regex(/^[\x21-\x7e]*$/, 'must contain only printable ASCII without spaces')
      .default('')
      .describe('Text before the signature in the header, such as `sha256=`'),
    signed: rows.Hmac.shape.signed
      .default('body')
      .describe('Signed text. `timestamp.body`: the value of `timestamp_header`, a dot, and the body.'),
    timestamp_header: HeaderName.nullable()
      .default(null)
      .describe('Header with the time of the signature, in seconds since 1970'),
    tolerance: z
      .int()
      .min(1)
      .max(86_400)
      .default(usualTolerance)
      .describe('Maximum difference between the time of the signature and the current time, in seconds'),
    event_id_header: HeaderName.nullable().default(null).describe('Header with the ID of the event'),
    event_id_path: Path.nullable().default(null).describe('Path of the ID in a JSON body, such as `data.id`'),
    event_type_header: HeaderName.nullable().default(null).describe('Header with the type of the event'),
    event_type_path: Path.nullable().default(null).describe('Path of the type in a JSON body'),
  })
  .refine((form) => form.signed === 'body' || form.timestamp_header !== null, {
    path: ['timestamp_header'],
    message: 'is required if `signed` is `timestamp.body`',
  })

const Name = z.string().trim().min(1).max(100).regex(withoutControl, 'must not contain control characters')

export const Secret = secret(
  z
    .string()
    .min(8)
    .max(500)
    .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII without spaces'),
)

const standardSecret = /^(whsec_)?[A-Za-z0-9+/]{16,400}={0,2}$/

/** Returns the issue of a secret for its provider. */
export const findSecretFault = (provider: rows.Provider, given: string): string | undefined =>
  provider === 'standard' && !standardSecret.test(given) ? 'must be `whsec_` and base64' : undefined

const TypePattern = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be a type of the provider, such as invoice.paid or invoice.*')
  .refine((text) => !text.slice(0, -1).includes('*'), 'can contain `*` only at the end')

const Scalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()])

const Filter = z
  .record(Path, z.array(Scalar).min(1).max(50))
  .refine((filter) => Object.keys(filter).length <= 10, 'must have at most 10 fields')

const ResponseForm = z.strictObject({
  status: z.int().min(200).max(299).default(200),
  body: z.string().max(4_096).default(''),
  content_type: z.enum(['text/plain', 'application/json']).default('text/plain'),
})

const fields = {
  name: Name,
  hmac: HmacForm.describe('How the provider signs. Required for the provider `hmac`.'),
  forward: ForwardForm.nullable().describe(
    'Where and how requests are sent. Each request becomes a job. `null`: requests are only stored.',
  ),
  event_types: z
    .array(TypePattern)
    .max(100)
    .describe('Types of events that are forwarded. `invoice.*` includes all types with this start. Empty: all.'),
  filter: Filter.describe(
    'Values by path in a JSON body. A request is forwarded only if every field has one of its values.',
  ),
  dedupe: z.boolean().describe('True to forward each event once. The ID of the provider identifies an event.'),
  response: ResponseForm.nullable().describe('Response to the provider. `null`: 200 with the ID of the request.'),
  retention_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .describe('Days that requests are kept. `null`, or more days than the installation keeps: its setting.'),
}

/** Providers that accept a secret of the customer. Others create the secret, some only after they know the URL. */
export const takesSecret = (provider: rows.Provider): boolean =>
  provider === 'github' || provider === 'hmac' || provider === 'standard'

export const SourceForm = z
  .strictObject({
    name: fields.name,
    provider: rows.Provider,
    secret: Secret.optional().describe(
      'Secret with which the provider signs. If you omit it, Millrace creates one for `github`, `hmac` and `standard`. For other providers, set it later. Until then, requests are rejected.',
    ),
    hmac: fields.hmac.optional(),
    forward: fields.forward.default(null),
    event_types: fields.event_types.default([]),
    filter: fields.filter.default({}),
    dedupe: fields.dedupe.default(true),
    response: fields.response.default(null),
    retention_days: fields.retention_days.default(null),
  })
  .superRefine((form, { addIssue }) => {
    const issue = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message })
    if (form.provider === 'hmac' && !form.hmac) issue('hmac', 'is required for the provider hmac')
    if (form.provider !== 'hmac' && form.hmac) issue('hmac', `cannot be used with the provider ${form.provider}`)
    const fault = form.secret === undefined ? undefined : findSecretFault(form.provider, form.secret)
    if (fault) issue('secret', fault)
  })

export const SourceChanges = z.strictObject({
  name: fields.name.optional(),
  hmac: fields.hmac.optional(),
  forward: fields.forward.optional(),
  event_types: fields.event_types.optional(),
  filter: fields.filter.optional(),
  dedupe: fields.dedupe.optional(),
  response: fields.response.optional(),
  retention_days: fields.retention_days.optional(),
})
