import { newId } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import { createOrg } from '#sql/account/setup.ts'
import * as requests from '#sql/account/usage/requests.ts'
import type { DatabasePool } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import { inBatches, type Subject } from './subject.ts'

/** The request log. Its rows stay until their day is dropped. */
export async function createRequestLog(db: DatabasePool): Promise<Subject> {
  const orgId = (await createOrg(db, 'requests', 'unlimited', {})).org.id
  const key = await keys.create(db, { orgId, prefix: 'bt_live_', name: 'bench', scopes: ['stream:write'] })
  const row = () => ({
    ...{ id: newId(), org_id: orgId, key_id: key.id, secret_id: null, client_id: null },
    ...{ operation: 'email.messages.create', status: 202, code: null, ms: 12, bytes_in: 400, bytes_out: 80 },
    ...{ network: '192.0.2.0/24', sdk: 'millrace-node/1.0.0', jobs: [], resource_id: newId(), error: null },
    ...{ request_head: null, response_head: null },
  })
  return {
    what: 'account.requests',
    table: 'account.requests',
    stays: true,
    churn: (rows) => inBatches(rows, 500, 2, (count) => requests.write(db, Array.from({ length: count }, row))),
    probe: () => requests.list(db, orgId, { where: everything, before: undefined, limit: 20 }),
  }
}
