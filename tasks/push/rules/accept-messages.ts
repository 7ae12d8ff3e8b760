import { newId } from '#lib/ids.ts'
import { lockRoom } from '#sql/account/usage/budgets.ts'
import * as usage from '#sql/account/usage.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { expand } from '../expand.ts'
import { getJobPriority } from './job-priority.ts'

/** A message to users of an app of the organisation. Its content fits all providers. */
export interface MessageRequest {
  message: messages.GivenMessage
  /** The user’s row, if it is known that the user has a device. */
  pushUserId?: string | undefined
  ttl: number
  sendAt?: Date | undefined
  /** Request and span that created the message. Default: the current ones. */
  requestId?: string | undefined
  trace?: string | undefined
}

/**
 * Stores messages and the jobs that find their devices, in the caller’s transaction. Returns them in order, with `null`
 * for each message that exceeds its organisation’s budget. Dry runs are not counted.
 */
export async function acceptMessages(
  tx: Db,
  wanted: readonly MessageRequest[],
): Promise<readonly (messages.NewMessage | null)[]> {
  if (wanted.length === 0) return []
  const people = await users.findMany(
    tx,
    wanted.flatMap(({ message: { app_id, user_id } }) => (user_id == null ? [] : [{ app_id, user_id }])),
  )
  const persons = new Map(people.map((person) => [`${person.app_id} ${person.user_id}`, person]))
  const drafts = wanted.map((one) => {
    const known = one.pushUserId === undefined ? undefined : { push_user_id: one.pushUserId, reachable: true }
    return { wanted: one, row: rowOf(one, known ?? persons.get(`${one.message.app_id} ${one.message.user_id}`)) }
  })
  const left = await fitting(
    tx,
    drafts.map(({ row }) => row),
  )
  const kept = drafts.filter(({ row }) => left.has(row))
  const rows = kept.map(({ row }) => row)
  await messages.insertMany(tx, rows)
  await fanOut(
    tx,
    rows,
    kept.map((draft) => draft.wanted),
  )
  // This is the last step, because transactions that count for the same organisation wait for each other until the
  // commit.
  await usage.add(
    tx,
    'push.messages',
    rows.flatMap(({ org_id, dry_run }) => (dry_run ? [] : [{ org_id, amount: 1 }])),
  )
  return drafts.map(({ row }) => (left.has(row) ? row : null))
}

/** Returns the messages that fit into their organisations’ budgets: the first messages of each organisation. */
async function fitting(tx: Db, rows: readonly messages.NewMessage[]): Promise<ReadonlySet<messages.NewMessage>> {
  const counted = Map.groupBy(
    rows.filter(({ dry_run }) => !dry_run),
    ({ org_id }) => org_id,
  )
  const room = await lockRoom(tx, 'push.messages', [...counted.keys()])
  const kept = [...counted].flatMap(([orgId, own]) => own.slice(0, Math.max(0, room.get(orgId) ?? own.length)))
  return new Set([...rows.filter(({ dry_run }) => dry_run), ...kept])
}

async function fanOut(tx: Db, rows: readonly messages.NewMessage[], wanted: readonly MessageRequest[]): Promise<void> {
  const open = rows.flatMap((row, i) => (row.status === 'no_devices' ? [] : [{ row, ...wanted[i] }]))
  await enqueueMany(
    tx,
    expand,
    open.map(({ row }) => ({ messageId: row.id })),
    (i) => {
      const { row, requestId, trace } = open[i] as (typeof open)[number]
      const { org_id: orgId, priority, status, send_at } = row
      const at = status === 'scheduled' ? { at: new Date(send_at) } : {}
      return { orgId, priority: getJobPriority(priority), ...(requestId && { requestId }), trace, ...at }
    },
  )
}

function rowOf(
  { message, sendAt, ttl }: MessageRequest,
  person: { push_user_id: string; reachable: boolean } | undefined,
): messages.NewMessage {
  const now = Date.now()
  const at = Math.max(now, sendAt?.getTime() ?? now)
  // A user may register a device before `send_at`. For a message to many, devices are not yet known.
  const isReachable = message.target !== 'user' || person?.reachable
  const status = at > now ? 'scheduled' : isReachable ? 'queued' : 'no_devices'
  return {
    ...messages.fill(message),
    id: newId(),
    push_user_id: person?.push_user_id ?? null,
    status,
    send_at: new Date(at).toISOString(),
    expires_at: new Date(at + ttl * 1000).toISOString(),
    ended_at: status === 'no_devices' ? new Date(now).toISOString() : null,
  }
}
