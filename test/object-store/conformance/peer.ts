import type { Test } from 'tap'
import { Storage } from '#lib/storage/storage.ts'

/** A store that claims are held against. */
export interface Peer {
  readonly name: string
  readonly storage: Storage
  readonly access: Access
}

/** How a store is reached. */
export interface Access {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
}

/** Something that every store the product runs on must do. */
export interface Claim {
  readonly claim: string
  holds(t: Test, peer: Peer): Promise<void>
}

/** A peer of that name. */
export function peerOf(name: string, access: Access): Peer {
  return { name, access, storage: openPeer(access) }
}

/** The product's way to a store. */
export function openPeer(access: Access): Storage {
  return new Storage({ ...access, publicEndpoint: access.endpoint })
}

/** What all test objects are stored as. */
export const plain = { contentType: 'text/plain' }

/** Fetches a URL whole. */
export async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}

/** PUTs bytes to a URL; returns the status. */
export async function putTo(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { method: 'PUT', body: body as string, headers })
  await answer.arrayBuffer()
  return answer.status
}
