import { z } from 'zod'
import { type Db, sql } from '../../db.ts'

const What = z.object({ what: z.string() })

/**
 * Returns live broadcasts, rooms and calls of an organisation with their IDs, and its closure. If requested, also
 * returns uploads and imports in parts.
 */
export async function listLive(db: Db, orgId: string, { uploads }: { uploads: boolean }): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(What)`
    select 'broadcast ' || s.broadcast_id as what from live.sessions as s join live.channels as c on c.id = s.channel_id
    where c.org_id = ${orgId}
    union all
    select 'room ' || r.id from rooms.rooms as r join rooms.sessions as s on s.room_id = r.id
    where r.org_id = ${orgId} and r.ended_at is null
    union all
    select 'room broadcast ' || id from rooms.broadcasts where org_id = ${orgId} and ended_at is null
    union all
    select 'call ' || id from voice.calls where org_id = ${orgId} and ended_at is null
    union all
    select 'upload ' || id from video.uploads
    where ${uploads} and org_id = ${orgId} and storage_upload is not null and state in ('open', 'paused')
    union all
    select 'upload ' || u.id from files.uploads as u join files.objects as o on o.id = u.id
    where ${uploads} and u.org_id = ${orgId} and u.storage_upload is not null and o.place = 'incoming' and o.deleted_at is null
    union all
    select 'import ' || asset_id from video.imports
    where ${uploads} and org_id = ${orgId} and storage_upload is not null and state in ('waiting', 'fetching')
    union all
    select 'closure ' || id from account.closures where org_id = ${orgId} and state in ('waiting', 'running')
    order by 1 limit 200`)
}

export async function listLeases(db: Db, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(What)`
    select 'mail ' || d.message_id as what from email.deliveries as d
    where d.org_id = ${orgId} and d.leased_by is not null and email.is_leased(d.leased_by)
    union all
    select 'push delivery ' || id from push.deliveries
    where org_id = ${orgId} and status = 'queued' and leased_by is not null and due_at > now()
    union all
    select 'webhook endpoint ' || id from webhooks.endpoints
    where org_id = ${orgId} and leased_by is not null and leased_until > now()
    order by 1 limit 200`)
}
