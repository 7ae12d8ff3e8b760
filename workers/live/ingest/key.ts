import { hashSecret } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import type { Source } from './admission.ts'
import type { Hook } from './hooks.ts'

/** What a publisher's key opens. */
export interface Key {
  channel: channels.Channel
  source: Source
  hash: string
  /** It was rotated, and opens nothing any more. */
  isFormer?: boolean
}

/** The channel that a publisher's key opens; `ofSrt` tells that of one of this worker's SRT listeners, by its stream's name. */
export async function openKey(
  db: DatabasePool,
  { name, address }: Hook,
  ofSrt: (name: string) => string | undefined,
): Promise<Key | null> {
  const own = address === '127.0.0.1' ? ofSrt(name) : undefined
  if (own) {
    const channel = await channels.findAny(db, own)
    return channel && { channel, source: 'srt', hash: channel.srt_passphrase }
  }
  const hash = hashSecret(name)
  const found = await channels.findByKey(db, hash)
  if (found) return { channel: found.channel, source: found.which, hash }
  const former = await channels.findByFormerKey(db, hash)
  return former && { channel: former.channel, source: former.which, hash, isFormer: true }
}
