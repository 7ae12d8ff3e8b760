import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { matchesSegment, Segment } from './contacts/segment-conditions.ts'
import { Status } from './messages.ts'
import { type Reach, within } from './reach.ts'
import { Template } from './templates.ts'

/** `sent`: all messages have been queued for delivery. */
export const CampaignStatus = z.enum(['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled'])

export const table = defineTable(
  'email',
  'campaigns',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    name: z.string(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    from_email: z.string(),
    from_name: z.string().nullable(),
    status: CampaignStatus,
    reason: z.string().nullable(),
    recipients: z.number(),
    expanded: z.number(),
    blocked: z.record(z.string(), z.number()),
    last_contact: Id.nullable(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
    preheader: z.string().nullable(),
    segment_id: Id.nullable(),
    segment: Segment.nullable(),
    send_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    syntax: Template.shape.syntax,
    /** Aliases of the partials and layouts that the campaign uses. */
    uses: z.array(z.string()),
    topic: z.string().nullable(),
    track_opens: z.boolean().nullable(),
    track_clicks: z.boolean().nullable(),
    /** Number of messages that are counted as usage and not created yet. */
    reserved: z.number(),
    reserved_at: z.date().nullable(),
  }),
)

export const Campaign = table.Row

export type Campaign = z.infer<typeof Campaign>

const columns = table.columns()

/**
 * Without HTML and text, which can be a megabyte each, and without the segment conditions from the start of the
 * campaign.
 */
export const CampaignSummary = Campaign.omit({ html: true, text: true, segment: true })
export type CampaignSummary = z.infer<typeof CampaignSummary>

export type CampaignParts = Pick<
  Campaign,
  | 'name'
  | 'subject'
  | 'preheader'
  | 'html'
  | 'text'
  | 'from_email'
  | 'from_name'
  | 'segment_id'
  | 'topic'
  | 'syntax'
  | 'uses'
> & { [Part in 'track_opens' | 'track_clicks']?: Campaign[Part] | undefined }

export type NewCampaign = Omit<CampaignParts, 'topic' | 'syntax' | 'uses'> &
  Partial<Pick<Campaign, 'topic' | 'syntax' | 'uses'>> &
  Pick<Campaign, 'id' | 'org_id' | 'key_id' | 'sandbox'>

export async function insert(db: Db, campaign: NewCampaign): Promise<Campaign> {
  return await db.one(
    sql.type(
      Campaign,
    )`${table.insert({ ...campaign, uses: campaign.uses && sql.array(campaign.uses, 'text') })} returning ${columns}`,
  )
}

export async function find(db: Db, orgId: string, id: string): Promise<Campaign | null> {
  return await db.maybeOne(
    sql.type(Campaign)`select ${columns} from email.campaigns where org_id = ${orgId} and id = ${id}`,
  )
}

/** Returns a campaign of any organisation, locked until the transaction ends. */
export async function lock(tx: Db, id: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`select ${columns} from email.campaigns where id = ${id} for update`)
}

export async function list(
  db: Db,
  orgId: string,
  { before, limit, reach }: { before: string | undefined; limit: number; reach: Reach },
): Promise<readonly CampaignSummary[]> {
  const older = before ? sql.fragment`and c.id < ${before}` : sql.fragment``
  return await db.any(sql.type(CampaignSummary)`
    select ${getColumns(CampaignSummary, 'c')} from email.campaigns as c
    where c.org_id = ${orgId} and ${within('c', reach)} ${older} order by c.id desc limit ${limit}`)
}

export async function countByStatus(db: Db, id: string): Promise<Partial<Record<Status, number>>> {
  const found = await db.any(sql.type(z.object({ status: Status, count: z.number() }))`
    select status, count(*) from email.messages where campaign_id = ${id} group by status`)
  return Object.fromEntries(found.map(({ status, count }) => [status, count]))
}

/** Condition that no message was sent: the campaign can be changed, and its recipients are not decided yet. */
const unbegun = sql.fragment`k.started_at is null and k.status in ('draft', 'scheduled', 'paused')`

export async function update(
  db: Db,
  orgId: string,
  id: string,
  changes: { [Part in keyof CampaignParts]?: CampaignParts[Part] | undefined },
): Promise<Campaign | null> {
  return await db.maybeOne(sql.type(Campaign)`
    update email.campaigns as k set ${table.set({ ...changes, uses: changes.uses && sql.array(changes.uses, 'text') })}
    where k.org_id = ${orgId} and k.id = ${id} and ${unbegun} returning ${table.columns('k')}`)
}

export async function schedule(tx: Db, orgId: string, id: string, at: Date): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    update email.campaigns as k set status = 'scheduled', reason = null, send_at = ${at.toISOString()}
    where k.org_id = ${orgId} and k.id = ${id} and ${unbegun} returning ${table.columns('k')}`)
}

/**
 * Returns a due scheduled campaign of any organisation, locked until the transaction ends. Null if the campaign is not
 * due or not scheduled.
 */
export async function lockDue(tx: Db, id: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    select ${columns} from email.campaigns
    where id = ${id} and status = 'scheduled' and send_at <= now() for update`)
}

const Overdue = z.object({ id: Id, org_id: Id })

/** Returns scheduled campaigns that are `lateMs` milliseconds late and that no job has started. */
export async function listOverdue(db: Db, lateMs: number): Promise<readonly z.infer<typeof Overdue>[]> {
  return await db.any(sql.type(Overdue)`
    select id, org_id from email.campaigns
    where status = 'scheduled' and send_at < now() - ${lateMs} * interval '1 millisecond' order by send_at limit 100`)
}

/**
 * Returns campaigns whose event was not sent although all their messages must have ended. No message waits longer than
 * two days.
 */
export async function listUnended(db: Db): Promise<readonly z.infer<typeof Overdue>[]> {
  return await db.any(sql.type(Overdue)`
    select id, org_id from email.campaigns
    where status = 'sent' and ended_at is null and finished_at < now() - interval '3 days' order by finished_at limit 100`)
}

/**
 * Starts a campaign and counts its recipients, or resumes a paused campaign. Returns null if the campaign can be
 * neither started nor resumed. `segment`: conditions of the segment at the start.
 */
export async function startSending(
  tx: Db,
  orgId: string,
  id: string,
  segment: Segment | null,
): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    with contacts as (
      select count(*) filter (where status = 'confirmed') as confirmed,
        count(*) filter (where status = 'unconfirmed') as unconfirmed,
        count(*) filter (where status = 'unsubscribed') as unsubscribed
      from email.contacts as c where org_id = ${orgId} and ${matchesSegment(segment)}
    )
    update email.campaigns as k
    set status = 'sending', reason = null, started_at = coalesce(k.started_at, now()),
      segment = case when ${unbegun} then ${segment === null ? null : JSON.stringify(segment)}::jsonb else k.segment end,
      recipients = case when ${unbegun} then c.confirmed else k.recipients end,
      blocked = case when ${unbegun}
        then jsonb_build_object('unconfirmed', c.unconfirmed, 'unsubscribed', c.unsubscribed) else k.blocked end
    from contacts as c
    where k.org_id = ${orgId} and k.id = ${id} and k.status in ('draft', 'scheduled', 'paused')
    returning ${table.columns('k')}`)
}

export async function advance(
  tx: Db,
  id: string,
  { expanded, blocked, last_contact, reserved }: Pick<Campaign, 'expanded' | 'blocked' | 'last_contact' | 'reserved'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.campaigns
    set expanded = ${expanded}, blocked = ${sql.jsonb(blocked)}, last_contact = ${last_contact}, reserved = ${reserved}
    where id = ${id}`)
}

/** Returns null if the campaign is not being sent. */
export async function finish(tx: Db, id: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    update email.campaigns set status = 'sent', finished_at = now() where id = ${id} and status = 'sending'
    returning ${columns}`)
}

/** Records that the campaign has ended. Returns null if this was already recorded, or the campaign is not `sent`. */
export async function end(tx: Db, id: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    update email.campaigns set ended_at = now() where id = ${id} and status = 'sent' and ended_at is null
    returning ${columns}`)
}

/** Returns null if the campaign is neither being sent nor scheduled. */
export async function pause(tx: Db, id: string, reason: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    update email.campaigns set status = 'paused', reason = ${reason}
    where id = ${id} and status in ('scheduled', 'sending') returning ${columns}`)
}

/** Returns null if the campaign does not exist, was cancelled, or its last message has ended. */
export async function cancel(tx: Db, orgId: string, id: string): Promise<Campaign | null> {
  return await tx.maybeOne(sql.type(Campaign)`
    update email.campaigns set status = 'cancelled', reason = null, finished_at = coalesce(finished_at, now())
    where org_id = ${orgId} and id = ${id} and status <> 'cancelled' and ended_at is null
    returning ${columns}`)
}

/** Removes up to `limit` messages from delivery, except messages that are being delivered. Returns their IDs. */
export async function removeFromDelivery(tx: Db, id: string, limit: number): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ message_id: Id }))`
    delete from email.deliveries where message_id = any(array(
      select d.message_id from email.deliveries as d join email.messages as m on m.id = d.message_id
      where m.campaign_id = ${id} and d.leased_by is null
      order by d.message_id limit ${limit} for update of d skip locked))
    returning message_id`)
}

export async function isInDelivery(db: Db, id: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ message_id: Id }))`
    select d.message_id from email.deliveries as d join email.messages as m on m.id = d.message_id
    where m.campaign_id = ${id} limit 1`)
}
