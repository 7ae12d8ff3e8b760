import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { buildHtml } from '../mail/message.ts'
import type { SinkCounts } from './sink.ts'
import type { Post } from './stream.ts'

const progressMs = 15_000

/** Sends a campaign to all contacts. Returns when none of its messages waits. */
export async function sendCampaign(
  db: DatabasePool,
  post: Post,
  counts: () => Promise<SinkCounts>,
  tell: (text: string) => void,
): Promise<void> {
  const campaign = await post('/campaigns', {
    name: 'bench',
    subject: 'News',
    html: buildHtml(10_000, 0),
    from_email: 'news@sender.example',
  })
  const begun = performance.now()
  await post(`/campaigns/${campaign.id}/send`, {})
  tell(`campaign accepted after ${Math.round(performance.now() - begun)} ms`)
  const Progress = z.object({
    status: z.string(),
    reason: z.string().nullable(),
    expanded: z.number(),
    waits: z.boolean(),
  })
  const find = () =>
    db.one(sql.type(Progress)`
      select status, reason, expanded, exists (select from email.deliveries where pool = 'campaign') as waits
      from email.campaigns where id = ${campaign.id}`)
  await untilDone(
    async () => {
      const { status, reason, waits } = await find()
      if (status === 'paused') throw new Error(`The campaign was paused: ${reason}`)
      return status === 'sent' && !waits
    },
    async () => tell(`${(await find()).expanded} messages created, ${(await counts()).reached} contacts reached`),
  )
}

/** Sends a message to a topic. Returns the seconds to its last delivery, and the devices with an outcome. */
export async function sendToTopic(
  db: DatabasePool,
  post: Post,
  { appId, topic }: { appId: string; topic: string },
  tell: (text: string) => void,
): Promise<{ seconds: number; sent: number }> {
  const { id } = await post('/messages', { app_id: appId, target: { type: 'topic', id: topic }, title: 'Hello' })
  const Progress = z.object({ seconds: z.number().nullable() })
  const find = () =>
    db.oneFirst(sql.type(Progress)`
      select extract(epoch from ended_at - created_at)::float8 as seconds from push.messages where id = ${id}`)
  const count = () =>
    db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from push.deliveries where message_id = ${id} and status in ('sent', 'delivered')`)
  await untilDone(
    async () => (await find()) !== null,
    async () => tell(`${await count()} devices reached`),
  )
  return { seconds: (await find()) ?? Number.NaN, sent: await count() }
}

export const apnsCredential = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { key, key_id: 'ABC123DEFG', team_id: 'TEAM123456', topic: 'com.example.shop' }
}

async function untilDone(isDone: () => Promise<boolean>, report: () => Promise<void>): Promise<void> {
  for (let reported = performance.now(); !(await isDone()); await pause(200)) {
    if (performance.now() - reported < progressMs) continue
    reported = performance.now()
    await report()
  }
}
