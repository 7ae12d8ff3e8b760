import { z } from 'zod'
import { config, publicUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import type { Seal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/intake/sources.ts'
import { openHeaders, openSecrets, openToken } from '#tasks/intake/rules/source-secrets.ts'
import { defaultTimeoutMs } from '#tasks/work/rules/draft-job.ts'
import { Instant } from '../http/instant.ts'

const Forward = z.object({
  ...rows.Forward.omit({ timeoutMs: true }).shape,
  timeout: z.number().describe('Seconds until the response must be complete'),
  header_names: z.array(z.string()).describe('Names of the headers that you added. Their values are not returned.'),
})

export const Source = z
  .object({
    id: Id,
    name: z.string(),
    provider: rows.Provider,
    url: secret(z.url().nullable()).describe('URL to enter at the provider. Anybody who has it can send requests.'),
    has_secret: z.boolean().describe('False until you set the secret. Until then, requests are rejected.'),
    previous_url_until: Instant.nullable().describe('Time until which the previous URL also works'),
    previous_secret_until: Instant.nullable().describe('Time until which the previous secret is also valid'),
    hmac: rows.Hmac.nullable(),
    forward: Forward.nullable(),
    event_types: z.array(z.string()),
    filter: z.record(z.string(), z.array(z.unknown())),
    dedupe: z.boolean(),
    response: rows.Response.nullable(),
    retention_days: z.number().nullable(),
    status: rows.table.Row.shape.status.describe(
      '`paused`: requests are stored and held. `resuming`: held requests are being forwarded, in order.',
    ),
    rejected: z.number().describe('Number of recorded requests with an invalid signature'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'intake.Source' })

export const SourceWithSecret = Source.extend({
  secret: secret(z.string().nullable()).describe(
    'Secret that Millrace created. Enter it at the provider. Returned only in this response. `null` if you sent one.',
  ),
}).meta({ id: 'intake.SourceWithSecret' })

/** Returns the base of source URLs: the API’s host, because the dashboard can have a different host. */
const baseOf = (origin: string): string => (config.PUBLIC_URL === undefined ? origin : publicUrl())

/** Returns the URL of a source. Null if it cannot be decrypted. */
export function urlOf(source: rows.Source, { origin, seal }: { origin: string; seal: Seal }): string | null {
  const token = openToken(seal, source)
  return token === null ? null : `${baseOf(origin)}/in/${token}`
}

const future = (at: Date | null): Date | null => (at && at > new Date() ? at : null)

const presentForward = ({ timeoutMs = defaultTimeoutMs, ...forward }: rows.Forward, header_names: string[]) => ({
  ...forward,
  ...{ timeout: timeoutMs / 1_000, header_names },
})

export function present(source: rows.Source, ground: { origin: string; seal: Seal }): z.input<typeof Source> {
  const { id, name, provider, hmac, event_types, filter, dedupe, response, retention_days } = source
  return {
    ...{ id, name, provider, hmac, event_types, filter, dedupe, response, retention_days },
    url: urlOf(source, ground),
    has_secret: (openSecrets(ground.seal, source)?.current ?? null) !== null,
    previous_url_until: future(source.previous_token_until),
    previous_secret_until: future(source.previous_until),
    forward: source.forward && presentForward(source.forward, Object.keys(openHeaders(ground.seal, source))),
    status: source.status,
    rejected: source.rejected,
    created_at: source.created_at,
    updated_at: source.updated_at,
  }
}
