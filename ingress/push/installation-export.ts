import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/push/installations.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findOwnApp } from './apps/own-app.ts'

/** Streams the devices with their tokens, so that an organisation can move them to another provider. */
export const download = route({
  method: 'GET',
  path: '/apps/{app_id}/installations/export',
  summary: 'Export devices with their tokens',
  description:
    'Returns NDJSON, newest devices first. Each line has the fields with which the device was registered, including the complete token or subscription. Streams are not included.',
  scope: ['push:manage', 'push:send'],
  locks: ['app_id'],
  beyondContract: true,
  limit: { perMinute: 10, by: 'org' },
  params: z.object({ app_id: pathId('app') }),
  status: 200,
  raw: 'application/x-ndjson',
  problems: ['not_found'],
  async handle({ ctx, params, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    ctx.type = 'application/x-ndjson'
    ctx.set('content-disposition', 'attachment; filename="devices.ndjson"')
    ctx.body = Readable.from(deviceLines(db, app.id))
  },
})

const batch = 500

/** Reads the devices in batches, as fast as the client receives them. */
async function* deviceLines(db: Db, appId: string): AsyncGenerator<string> {
  for (let before: string | undefined; ; ) {
    const page = await rows.list(db, appId, { where: everything, userId: undefined, before, limit: batch })
    const lines = page.filter(({ provider }) => provider !== 'sse').map((row) => `${JSON.stringify(present(row))}\n`)
    if (lines.length > 0) yield lines.join('')
    const last = page.at(-1)
    if (!last || page.length < batch) return
    before = last.id
  }
}

const present = ({ id, user_id, provider, environment, token, keys, ...row }: rows.InstallationView) => ({
  ...{ id, user_id, push_provider: provider, environment },
  ...(keys ? { subscription: { endpoint: token, keys } } : { token }),
  ...{ platform: row.platform, locale: row.locale, time_zone: row.time_zone, tags: row.tags },
  ...{ status: row.status, created_at: row.created_at },
})
