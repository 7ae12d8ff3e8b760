import { createHmac } from 'node:crypto'
import type { Db } from '#sql/db.ts'
import * as daySecrets from '#sql/directory/day-secrets.ts'
import * as viewers from '#sql/directory/viewers.ts'
import { getClientNetwork } from '../http/limits/buckets.ts'
import { isBot } from './bots.ts'

interface Sender {
  ip: string
  header(name: string): string | undefined
}

const agentLength = 300

/** Counts the viewers of started views. Each viewer counts once per video and day. Bots do not count. */
export async function countViewers<View extends { asset_id: string }>(
  tx: Db,
  begun: readonly View[],
  senderOf: (view: View) => Sender | undefined,
): Promise<void> {
  const people = begun.flatMap((view) => {
    const sender = senderOf(view)
    const agent = sender?.header('user-agent')?.slice(0, agentLength)
    return sender && agent && !isBot(agent) ? [{ video_id: view.asset_id, ip: sender.ip, agent }] : []
  })
  if (people.length === 0) return
  const { day, secret } = await daySecrets.getTodaysSecret(tx)
  // The hash includes the video, so that a viewer has a different hash for each video and cannot be tracked.
  const hash = (...parts: string[]) =>
    createHmac('sha256', secret).update(parts.join('\n')).digest('base64url').slice(0, 16)
  await viewers.countNewViewers(
    tx,
    day,
    people.map(({ video_id, ip, agent }) => ({
      video_id,
      network: hash('network', video_id, getClientNetwork(ip)),
      agent: hash('agent', video_id, getClientNetwork(ip), agent),
    })),
  )
}
