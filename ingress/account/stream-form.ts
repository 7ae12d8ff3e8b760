import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'
import { kinds, sources } from '#sql/account/streams/streams.ts'
import { isSyslogPort } from '#tasks/account/rules/streams/target-address.ts'
import { Patterns } from './webhook-fields.ts'

/** Schema of a secret. It cannot contain spaces or characters that could end a header. */
const printable = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII without spaces')

const Url = z.string().min(1).max(2_048)

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

const S3 = z.strictObject({
  endpoint: Url.optional().describe('URL of the S3 service. Default: Amazon S3 in the region.'),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/, 'must be a region such as eu-north-1')
    .describe('Region such as `eu-north-1`'),
  bucket: z.string().regex(bucketName, 'must be a bucket name of 3 to 63 characters'),
  addressing: z
    .enum(['virtual', 'path'])
    .default('virtual')
    .describe('`virtual`: the bucket is in the host name. `path`: it is the first part of the path.'),
  prefix: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9!_.*'()/=-]*$/, 'must contain only characters that are safe in object keys')
    .refine((text) => !text.startsWith('/'), 'must not start with /')
    .default('')
    .describe('Start of all object keys. For example, `millrace/`.'),
  access_key_id: printable(200),
  secret_access_key: secret(printable(200)),
})

/** Headers that the HTTP client or the stream sets. */
const ownHeaders = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'connection', 'expect'],
  ...['upgrade', 'te', 'accept-encoding', 'keep-alive', 'proxy-connection', 'trailer'],
])

const Headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,60}$/, 'must be the name of a header'),
    z
      .string()
      .max(2_000)
      .regex(/^[\x20-\x7e]*$/, 'must contain only printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'must have at most 20 headers')
  .refine(
    (headers) => !Object.keys(headers).some((name) => ownHeaders.has(name.toLowerCase())),
    'cannot contain Host, Connection, Content-Type or other headers that Millrace sets',
  )

const Otlp = z.strictObject({
  url: Url.describe('Complete URL for logs. It usually ends with `/v1/logs`.'),
  encoding: z.enum(['protobuf', 'json']).default('protobuf'),
  headers: secret(Headers).default({}).describe('Headers of each request, such as Authorization'),
})

const Syslog = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9.:-]+$/, 'must be a host name or an IP address'),
  port: z.int().min(1).max(65_535).refine(isSyslogPort, 'must be 443, 514, 601, or at least 1024').default(6_514),
  app_name: z
    .string()
    .regex(/^[\x21-\x7e]{1,48}$/, 'must be 1 to 48 printable ASCII characters without spaces')
    .default('millrace'),
  facility: z.int().min(0).max(23).default(13).describe('Facility of RFC 5424. Default: 13 (log audit).'),
  ca_certificate: z
    .string()
    .max(20_000)
    .refine(isCertificate, 'must be a certificate in PEM format')
    .nullable()
    .default(null)
    .describe('Certificate of a private certificate authority in PEM format. `null`: public authorities.'),
})

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca
  } catch {
    return false
  }
}

const Splunk = z.strictObject({
  url: Url.describe('URL of the HTTP Event Collector. For example, `https://http-inputs-acme.splunkcloud.com`.'),
  token: secret(printable(200)).describe('Token of the HTTP Event Collector'),
  index: z
    .string()
    .regex(/^[a-z0-9_][a-z0-9_-]{0,79}$/, 'must be the name of an index')
    .nullable()
    .default(null)
    .describe('`null`: the default index of the token'),
  sourcetype: printable(100).nullable().default(null).describe('`null`: `_json`'),
})

const byKind = { s3: S3.optional(), otlp: Otlp.optional(), syslog: Syslog.optional(), splunk: Splunk.optional() }

const Classes = z
  .array(z.int().min(1).max(5))
  .min(1)
  .max(5)
  .transform((given) => [...new Set(given)].sort())
  .describe('First digits of the HTTP statuses whose requests are sent')

export const fields = {
  name: z.string().trim().min(1).max(100),
  sources: z
    .array(z.enum(sources))
    .min(1)
    .max(3)
    .transform((given) => sources.filter((one) => given.includes(one)))
    .describe('Records to send. The key must have the scope to read them.'),
  event_types: Patterns,
  request_classes: Classes,
  batch_seconds: z
    .int()
    .min(1)
    .max(900)
    .describe('Time for which records are collected. Default: 60 for S3, otherwise 5.'),
}

type Parts = { [K in keyof typeof byKind]?: z.output<(typeof byKind)[K]> }

export const StreamForm = z
  .strictObject({
    name: fields.name,
    kind: z.enum(kinds),
    sources: fields.sources,
    event_types: fields.event_types.default(['*']),
    request_classes: fields.request_classes.default([1, 2, 3, 4, 5]),
    batch_seconds: fields.batch_seconds.optional(),
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
  })

export const StreamChanges = z
  .strictObject({
    name: fields.name.optional(),
    sources: fields.sources.optional(),
    event_types: fields.event_types.optional(),
    request_classes: fields.request_classes.optional(),
    batch_seconds: fields.batch_seconds.optional(),
    ...byKind,
  })
  .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
    error: 'must contain at least one field',
  })

/** Divides the part of a form for its kind into settings and secrets. */
export function divideSettings(
  kind: (typeof kinds)[number],
  form: Parts,
): { settings: Record<string, unknown>; secrets: Record<string, unknown> } {
  if (kind === 's3') {
    const { secret_access_key, endpoint, ...settings } = form.s3 as NonNullable<Parts['s3']>
    const usual = `https://s3.${settings.region}.amazonaws.com`
    return { settings: { ...settings, endpoint: endpoint ?? usual }, secrets: { secret_access_key } }
  }
  if (kind === 'otlp') {
    const { headers, ...settings } = form.otlp as NonNullable<Parts['otlp']>
    return { settings: { ...settings, header_names: Object.keys(headers) }, secrets: { headers } }
  }
  if (kind === 'splunk') {
    const { token, ...settings } = form.splunk as NonNullable<Parts['splunk']>
    return { settings, secrets: { token } }
  }
  return { settings: { ...(form.syslog as NonNullable<Parts['syslog']>) }, secrets: {} }
}
