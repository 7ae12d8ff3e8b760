import { forbidden } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import * as settings from '#sql/webhooks/settings.ts'
import { readAuthority } from '../../account/rules/authority.ts'
import type * as account from '../../account/rules/doer.ts'
import { toAct } from '../../account/rules/doer.ts'
import { demandUrl } from './endpoint-url.ts'
import type { WebhookArea } from './event-types.ts'
import { createSecret, sealSecret } from './secrets.ts'
import { enqueueEndpoints } from './wake-endpoints.ts'

/** Maximum number of endpoints for all areas per organisation. Endpoints of single areas are counted separately. */
export const maxEndpoints = 50

export const maxPerArea = 10

export type Doer = account.Doer & {
  /** For a test key, which can only manage webhooks for test events. */
  mode?: 'test' | undefined
  /** For routes of an area, which only manage the endpoints of that area. */
  area?: WebhookArea
}

const ownerOf = ({ orgId, mode, area }: Doer): endpoints.Owner => ({ orgId, mode, ...(area && { area }) })

/** Throws 403 if a test key wants live events. */
function demandMode(doer: Doer, wanted: endpoints.Endpoint['mode']): void {
  if (doer.mode === 'test' && wanted !== 'test') throw forbidden('A test key can manage only webhooks for test events.')
}

export type EndpointSettings = Required<endpoints.Change>

/** Returns the data for the audit log. It contains only the host of the URL, because paths can be secrets. */
const shown = ({ url, events, name, mode }: EndpointSettings) => ({
  host: new URL(url).host,
  types: events,
  name,
  mode,
})

/**
 * Creates an endpoint and returns its secret once. A test key creates endpoints for test events by default. Returns
 * null if the limit is reached.
 */
export async function add(
  tx: Db,
  doer: Doer,
  given: EndpointSettings,
  signing: string,
): Promise<{ endpoint: endpoints.Endpoint; secret: string } | null> {
  const { orgId, area = null } = doer
  await readAuthority(tx, doer, 'webhooks:write')
  await demandUrl(tx, orgId, given.url)
  const wanted = { ...given, mode: given.mode ?? doer.mode ?? null }
  demandMode(doer, wanted.mode)
  const [id, secret] = [newId(), createSecret()]
  const row = { id, org_id: orgId, area, ...wanted, secret: sealSecret(secret, id, signing) }
  const endpoint = await endpoints.insert(tx, row, area === null ? maxEndpoints : maxPerArea)
  if (!endpoint) return null
  await audit.append(tx, { ...toAct(doer), action: 'webhook.created', target: id, after: shown(endpoint) })
  return { endpoint, secret }
}

/** Updates a locked endpoint. Pending deliveries go to the new URL. */
export async function change(
  tx: Db,
  doer: Doer,
  before: endpoints.Endpoint,
  given: endpoints.Change,
): Promise<endpoints.Endpoint> {
  await readAuthority(tx, doer, 'webhooks:write')
  if (given.mode !== undefined) demandMode(doer, given.mode)
  if (given.url !== undefined && given.url !== before.url) await demandUrl(tx, doer.orgId, given.url)
  const after = await endpoints.change(tx, { ...before, ...given })
  const act = { action: 'webhook.changed', target: before.id, before: shown(before), after: shown(after) }
  await audit.append(tx, { ...toAct(doer), ...act })
  return after
}

/** Returns null if the endpoint does not exist. */
export async function pauseEndpoint(tx: Db, doer: Doer, id: string): Promise<endpoints.Endpoint | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const before = await endpoints.lock(tx, ownerOf(doer), id)
  if (!before || before.paused_at) return before
  const held = await endpoints.setPaused(tx, ownerOf(doer), id)
  await audit.append(tx, { ...toAct(doer), action: 'webhook.paused', target: id })
  return held
}

/** Resumes a paused or disabled endpoint, starting with waiting events. Returns null if the endpoint does not exist. */
export async function resume(tx: Db, doer: Doer, id: string): Promise<endpoints.Endpoint | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const resumed = await endpoints.resume(tx, ownerOf(doer), id)
  if (!resumed) return null
  await audit.append(tx, { ...toAct(doer), action: 'webhook.resumed', target: id })
  await enqueueEndpoints(tx, [resumed])
  return resumed
}

/** Enables a disabled endpoint, starting with waiting events. Returns null if the endpoint does not exist. */
export async function enable(tx: Db, doer: Doer, id: string): Promise<endpoints.Endpoint | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const enabled = await endpoints.enable(tx, ownerOf(doer), id)
  if (!enabled) return null
  await audit.append(tx, { ...toAct(doer), action: 'webhook.enabled', target: id })
  await enqueueEndpoints(tx, [enabled])
  return enabled
}

/** Deletes an endpoint, its pending deliveries and its log. Returns false if the endpoint does not exist. */
export async function remove(tx: Db, doer: Doer, id: string): Promise<boolean> {
  await readAuthority(tx, doer, 'webhooks:write')
  if (!(await endpoints.remove(tx, ownerOf(doer), id))) return false
  await audit.append(tx, { ...toAct(doer), action: 'webhook.deleted', target: id })
  return true
}

/**
 * Replaces the secret. The previous secret stays in use for `keepMs` milliseconds. Returns null if the endpoint does
 * not exist.
 */
export async function rotate(
  tx: Db,
  doer: Doer,
  id: string,
  { keepMs, signing }: { keepMs: number; signing: string },
): Promise<{ endpoint: endpoints.Endpoint; secret: string } | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const secret = createSecret()
  const given = { secret: sealSecret(secret, id, signing), keepMs }
  const endpoint = await endpoints.rotate(tx, ownerOf(doer), id, given)
  if (!endpoint) return null
  await audit.append(tx, { ...toAct(doer), action: 'webhook.rotated', target: id })
  return { endpoint, secret }
}

export async function setKeepEvents(tx: Db, doer: Doer, keep: boolean): Promise<void> {
  await readAuthority(tx, doer, 'webhooks:write')
  const before = await settings.keepsEvents(tx, doer.orgId)
  await settings.setKeepsEvents(tx, doer.orgId, keep)
  if (before === keep) return
  const act = { action: 'events.kept', before: { keep_events: before }, after: { keep_events: keep } }
  await audit.append(tx, { ...toAct(doer), ...act })
}
