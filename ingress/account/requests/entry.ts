import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { Instant } from '../../http/instant.ts'

const row = requests.table.Row.shape

export const RequestEntry = z
  .object({
    id: Id,
    created_at: Instant,
    client_id: row.client_id.describe('`X-Request-Id` sent by the client. Several requests can have the same value.'),
    key_id: Id,
    secret_id: row.secret_id,
    operation: row.operation,
    status: z.int(),
    code: row.code.describe('Error code of the response'),
    fields: z.array(z.string()).describe('Fields named in the error'),
    ms: row.ms,
    bytes_in: z.int().nullable(),
    bytes_out: z.int().nullable(),
    network: row.network.describe('Client network, as a `/24` (IPv4) or `/48` (IPv6) prefix'),
    sdk: row.sdk.describe('Name and version of the SDK'),
    resource_id: row.resource_id.describe('ID of the created object'),
  })
  .meta({ id: 'account.Request' })

export function present(request: requests.Request): z.input<typeof RequestEntry> {
  const { org_id: _, jobs: __, error, request_head: ___, response_head: ____, ...entry } = request
  return { ...entry, created_at: new Date(getIdTime(entry.id)), fields: error?.fields ?? [] }
}
