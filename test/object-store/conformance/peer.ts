import type { Test } from 'tap'
import { Storage } from '#lib/storage/storage.ts'

/** A store that is tested against the claims. */
export interface Peer {
  readonly name: string
  readonly storage: Storage
  readonly access: Access
}

export interface Access {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
}

/** A requirement for every store that the product uses. */
export interface Claim {
  readonly claim: string
  holds(t: Test, peer: Peer): Promise<void>
}

export function peerOf(name: string, access: Access): Peer {
  return { name, access, storage: openPeer(access) }
}

export function openPeer(access: Access): Storage {
  return new Storage({ ...access, publicEndpoint: access.endpoint })
}

export const plain = { contentType: 'text/plain' }

export async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}

export async function putTo(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { method: 'PUT', body: body as string, headers })
  await answer.arrayBuffer()
  return answer.status
}
