import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/files/buckets.ts'
import { Instant } from '../http/instant.ts'

const isEndpoint = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.pathname === '/' && url.search === '' && url.hash === ''
}

const visible = /^[\x21-\x7e]+$/

export const bucketFields = {
  name: z.string().trim().min(1).max(100).regex(withoutControl, 'must not contain control characters'),
  endpoint: z
    .string()
    .max(300)
    .refine(isEndpoint, 'must be a URL without a path, such as https://s3.eu-central-1.amazonaws.com')
    .describe('URL of the S3 service, without the bucket'),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, 'must be a region, such as eu-central-1')
    .describe('Region of the bucket. Some services use `auto`.'),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of an S3 bucket'),
  addressing: rows.Addressing.default('path').describe(
    '`path`: the bucket is in the path of URLs. `virtual`: it is in the host name.',
  ),
  access_key_id: z.string().max(200).regex(visible, 'must be an access key ID'),
  secret_access_key: secret(z.string().max(500).regex(visible, 'must be a secret access key')),
  writes_tags: z
    .boolean()
    .default(true)
    .describe('True to write each verdict as the tag `millrace-verdict` of its object'),
} as const

export const Bucket = z
  .object({
    id: Id,
    name: z.string(),
    endpoint: z.string(),
    region: z.string(),
    bucket: z.string(),
    addressing: rows.Addressing,
    access_key_id: z.string(),
    writes_tags: z.boolean(),
    state: rows.State.describe(
      '`unverified` until a request succeeds. `failing` after the bucket rejected the credentials.',
    ),
    reason: z.string().nullable().describe('Reason why the last request failed'),
    created_at: Instant,
    verified_at: Instant.nullable(),
  })
  .meta({ id: 'files.Bucket' })

export const present = ({ org_id: _, ...row }: rows.Facts): z.input<typeof Bucket> => row
