import { hashSecret } from '#lib/tokens.ts'
import { isClosing } from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import type { ChannelKey, Credential } from '../engine.ts'

/**
 * Returns the channel of a credential, even if the key was rotated. Returns null if the organisation is being closed.
 */
export async function identifyKey(db: Db, credential: Credential): Promise<ChannelKey | null> {
  if ('srtChannelId' in credential) {
    const channel = await channels.findAny(db, credential.srtChannelId)
    if (!channel || (await isClosing(db, channel.org_id))) return null
    return { channel, source: 'srt', hash: channel.srt_passphrase }
  }
  const hash = hashSecret(credential.streamKey)
  const found = await channels.findByKey(db, hash)
  if (found) return { channel: found.channel, source: found.which, hash }
  const former = await channels.findByFormerKey(db, hash)
  return former && { channel: former.channel, source: former.which, hash, isFormer: true }
}
