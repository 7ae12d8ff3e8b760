import { type Db, sql } from '#sql/db.ts'
import { playableAsset } from '../support/playable-asset.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of many operations.
type Call = (request: string, body: unknown) => Promise<any>

/** A video with a transcript, and a live channel with a scheduled broadcast, messages in its chat, and a banned person. */
export async function addMedia(db: Db, orgId: string, made: Call): Promise<void> {
  const { id } = await playableAsset(db, orgId)
  await db.query(sql.typeAlias('void')`
    update video.assets set width = 320, height = 180, duration_seconds = 20 where id = ${id}`)
  const text = 'WEBVTT\n\n00:01.000 --> 00:02.500\nWelcome to the shop.\n'
  await made(`PUT /v1/stream/assets/${id}/captions/en`, { text })
  const { channelId } = await made('POST /v1/stream/live/channels', { name: 'Questions' })
  const channel = `/v1/stream/live/channels/${channelId}`
  const startsAt = new Date(Date.now() + 86_400_000).toISOString()
  await made(`POST ${channel}/schedule`, { title: 'Questions and answers', startsAt })
  await made(`PATCH ${channel}/chat`, { opens: 'always' })
  const [ada, bob] = [await enter('Ada'), await enter('Bob')]
  await made(`POST /v1/stream/live/chat/${ada.token}/messages`, { text: 'When do you start?' })
  await made(`PUT ${channel}/chat/bans/${bob.personId}`, {})

  async function enter(name: string): Promise<{ token: string; personId: string }> {
    return await made(`POST ${channel}/chat/tokens`, { userId: name.toLowerCase(), name })
  }
}
