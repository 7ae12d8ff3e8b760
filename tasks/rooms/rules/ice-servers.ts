import { createHmac } from 'node:crypto'
import { config } from '#lib/config.ts'

/** A server by which clients find a way, as `RTCPeerConnection` takes it. */
export interface IceServer {
  urls: readonly string[]
  username?: string
  credential?: string
}

/** Seconds for which a client may ask its TURN servers for relays: as long as a room's token lives. */
const credentialSeconds = 43_200

/** The STUN and TURN servers of a client; its TURN credentials end by themselves (draft-uberti-behave-turn-rest-00). */
export function iceServers(participantId: string, now = Date.now()): IceServer[] {
  const { ROOMS_STUN_URLS: stun, ROOMS_TURN_URLS: turn, ROOMS_TURN_SECRET: secret } = config
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : []
  if (turn.length === 0 || !secret) return servers
  const username = `${Math.floor(now / 1000) + credentialSeconds}:${participantId}`
  const credential = createHmac('sha1', secret).update(username).digest('base64')
  return [...servers, { urls: turn, username, credential }]
}
