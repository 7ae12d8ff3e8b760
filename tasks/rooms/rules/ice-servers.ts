import { createHmac } from 'node:crypto'
import { config } from '#lib/config.ts'

export interface IceServer {
  urls: readonly string[]
  username?: string
  credential?: string
}

/** Lifetime of TURN credentials in seconds, equal to the maximum lifetime of a room token. */
const credentialSeconds = 43_200

/** Returns the STUN and TURN servers for a client. The TURN credentials expire (draft-uberti-behave-turn-rest-00). */
export function iceServers(participantId: string, now = Date.now()): IceServer[] {
  const { ROOMS_STUN_URLS: stun, ROOMS_TURN_URLS: turn, ROOMS_TURN_SECRET: secret } = config
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : []
  if (turn.length === 0 || !secret) return servers
  const username = `${Math.floor(now / 1000) + credentialSeconds}:${participantId}`
  const credential = createHmac('sha1', secret).update(username).digest('base64')
  return [...servers, { urls: turn, username, credential }]
}
