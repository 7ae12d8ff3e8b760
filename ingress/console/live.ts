import { unauthorized } from '#lib/errors.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import type { DatabasePool } from '#sql/db.ts'
import { consoleContents } from '../http/console/contents.ts'
import { shared } from '../http/console/page.ts'
import { findRegion, type Regions } from '../http/console/regions.ts'
import { findOperator } from '../http/console/session.ts'
import { createLiveHub, type LiveHub } from '../http/pages/live-hub.ts'
import { regionStream, sendStream } from '../http/pages/region-stream.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'

const hubs = new WeakMap<DatabasePool, LiveHub>()

function hubOf(db: DatabasePool, regions: Regions, stopping: AbortSignal): LiveHub {
  const hub = hubs.get(db) ?? createLiveHub({ find, listGood, stopping })
  hubs.set(db, hub)
  return hub

  function find(_: string, name: string) {
    const region = findRegion(regions, name)
    return region && { everyMs: region.everyMs, read: () => region.read(db) }
  }

  async function listGood(ids: readonly string[]) {
    return await sessions.listActive(db, ids, operatorScope)
  }
}

export const stream = route({
  ...shared,
  ...regionStream,
  async handle({ ctx, db, query, services }) {
    const operator = await findOperator(ctx, db)
    if (!operator) throw unauthorized('Sign in to see live updates.')
    sendStream(ctx, hubOf(db, services(consoleContents).regions, services(stopping)).join(operator.id, '', query.watch))
  },
})
