import { forbidden } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Seal } from '#lib/seal.ts'
import * as audit from '#sql/account/audit.ts'
import * as plans from '#sql/account/plans.ts'
import * as positions from '#sql/account/streams/positions.ts'
import * as streams from '#sql/account/streams/streams.ts'
import type { Db } from '#sql/db.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { readAuthority } from '../authority.ts'
import { type Doer, toAct } from '../doer.ts'
import { canRole, type Permission } from '../roles.ts'
import { findMissing, type Scope } from '../scopes.ts'
import { demandAddress } from './demand-address.ts'

/** What an actor must be able to read before a stream of the actor can send it. */
const needed: Readonly<Record<streams.Source, { scope: Scope; permission: Permission; words: string }>> = {
  audit: { scope: 'account:audit', permission: 'audit:read', words: 'the audit log' },
  events: { scope: 'account:webhooks', permission: 'webhooks:read', words: 'events' },
  requests: { scope: 'account:logs', permission: 'log:read', words: 'the request log' },
}

/** Throws 403 unless the actor can manage streams and can read all these sources now. */
async function demandSources(tx: Db, doer: Doer, sources: readonly streams.Source[]): Promise<void> {
  const { role, grantor } = await readAuthority(tx, doer, 'webhooks:write')
  for (const source of sources) {
    const { scope, permission, words } = needed[source]
    if (doer.actor.kind === 'key' && findMissing(grantor.scopes, [scope]).length > 0)
      throw forbidden(`This API key does not have the \`${scope}\` scope, so it cannot stream ${words}.`)
    if (doer.actor.kind === 'user' && !canRole(role, permission))
      throw forbidden(`Your role, ${role}, cannot read ${words}, so it cannot stream ${words}.`)
  }
}

interface StreamInput
  extends Pick<
    streams.NewStream,
    'name' | 'kind' | 'settings' | 'sources' | 'event_types' | 'request_classes' | 'batch_seconds'
  > {
  secrets: Readonly<Record<string, unknown>>
}

/** Data for the audit log. It contains only the host of the server. */
const shown = ({
  name,
  kind,
  settings,
  sources,
  event_types,
  request_classes,
  batch_seconds,
}: Omit<StreamInput, 'secrets'>) => ({
  name,
  kind,
  host: hostOf(settings),
  sources,
  event_types,
  request_classes,
  batch_seconds,
})

export function hostOf({ url, endpoint, host }: Readonly<Record<string, unknown>>): string {
  if (typeof host === 'string') return host
  const text = typeof url === 'string' ? url : endpoint
  return (typeof text === 'string' && URL.parse(text)?.host) || ''
}

const sealSecrets = (seal: Seal, id: string, secrets: StreamInput['secrets']): string =>
  seal.close(JSON.stringify(secrets), streams.getSecretContext(id))

/** Creates a stream that starts with the next record. Returns the limit of the plan instead if it is reached. */
export async function addStream(
  tx: Db,
  doer: Doer,
  { secrets, ...given }: StreamInput,
  seal: Seal,
): Promise<{ stream: streams.Stream } | { max: number }> {
  const { orgId, actor } = doer
  await demandSources(tx, doer, given.sources)
  await demandAddress(tx, orgId, given)
  await lockOrgLimit(tx, orgId, 'account.log_streams')
  const { log_streams: max } = await plans.findForOrganisation(tx, orgId)
  if ((await streams.count(tx, orgId)) >= max) return { max }
  const id = newId()
  const creator = { created_by_kind: actor.kind, created_by: actor.id, created_by_name: actor.name }
  const row = { id, org_id: orgId, ...given, ...creator, secrets: sealSecrets(seal, id, secrets) }
  const stream = await streams.insert(tx, row)
  await positions.start(tx, stream, stream.sources)
  await audit.append(tx, { ...toAct(doer), action: 'stream.created', target: id, after: shown(stream) })
  return { stream }
}

export type StreamChange = Partial<Omit<StreamInput, 'kind'>>

/** Updates a stream. New settings always come with their secrets. Returns null if the stream does not exist. */
export async function changeStream(
  tx: Db,
  doer: Doer,
  id: string,
  { secrets, ...given }: StreamChange,
  seal: Seal,
): Promise<streams.Stream | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const before = await streams.lock(tx, doer.orgId, id)
  if (!before) return null
  // The actor decides where all sources go, including those that stay.
  await demandSources(tx, doer, [...new Set([...before.sources, ...(given.sources ?? [])])])
  if (given.settings) await demandAddress(tx, doer.orgId, { kind: before.kind, settings: given.settings })
  const sealed = secrets && { secrets: sealSecrets(seal, id, secrets) }
  const after = await streams.change(tx, id, { ...given, ...sealed })
  await positions.start(tx, after, after.sources)
  await positions.keepOnly(tx, id, after.sources)
  const renewed = given.settings ? { settings: 'changed' } : {}
  const act = { action: 'stream.changed', target: id, before: shown(before), after: { ...shown(after), ...renewed } }
  await audit.append(tx, { ...toAct(doer), ...act })
  return after
}

/** Pauses or resumes a stream. Returns null if it does not exist. */
export async function pauseStream(tx: Db, doer: Doer, id: string, paused: boolean): Promise<streams.Stream | null> {
  await readAuthority(tx, doer, 'webhooks:write')
  const before = await streams.lock(tx, doer.orgId, id)
  if (!before) return null
  if (!paused) await demandSources(tx, doer, before.sources)
  const after = await streams.setPaused(tx, id, paused)
  const isChanged = (before.paused_at !== null) !== paused
  if (isChanged)
    await audit.append(tx, { ...toAct(doer), action: paused ? 'stream.paused' : 'stream.resumed', target: id })
  return after
}

/** Deletes a stream and its positions. Returns false if it does not exist. */
export async function removeStream(tx: Db, doer: Doer, id: string): Promise<boolean> {
  await readAuthority(tx, doer, 'webhooks:write')
  const before = await streams.lock(tx, doer.orgId, id)
  if (!before || !(await streams.remove(tx, doer.orgId, id))) return false
  await audit.append(tx, { ...toAct(doer), action: 'stream.deleted', target: id, before: shown(before) })
  return true
}
