import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface Api {
  base: string
  key: string
}

export async function ask<T>(api: Api, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${api.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${api.key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

/** Like `ask`, but retries for half a minute while the service is unavailable (503), for example on a busy machine. */
export async function askAgain<T>(api: Api, method: string, path: string, body?: unknown): Promise<T> {
  const end = Date.now() + 30_000
  for (;;) {
    try {
      return await ask<T>(api, method, path, body)
    } catch (error) {
      if (!/: 503 /.test((error as Error).message) || Date.now() > end) throw error
      await pause(1_000)
    }
  }
}

export interface Session {
  uploadId: string
  assetId: string
  partSizeBytes: number
  partsExpected: number
  recommendedConcurrency: number
}

export interface Asset {
  id: string
  status: string
  playable: boolean
  progress_percent: number
  stage: string
  failure_summary: string | null
  durationSeconds: number | null
  renditions: { name: string; width: number; height: number }[]
}

export interface Playback {
  sessionId: string
  token: string
  hlsUrl: string
  embedUrl: string
}

/**
 * Uploads a file in parts, several at the same time, and completes the upload. `resign` requests each URL twice, like a
 * client that resumes.
 */
export async function upload(
  api: Api,
  path: string,
  facts: Record<string, unknown> = {},
  resign = false,
): Promise<Session> {
  const session = await uploadParts(api, path, facts, resign)
  await complete(api, session)
  return session
}

export async function complete(api: Api, { uploadId }: Session): Promise<void> {
  await ask(api, 'POST', `/v1/stream/uploads/${uploadId}/complete`)
}

export async function uploadParts(
  api: Api,
  path: string,
  facts: Record<string, unknown> = {},
  resign = false,
): Promise<Session> {
  const session = await ask<Session>(api, 'POST', '/v1/stream/uploads', {
    bytes: (await stat(path)).size,
    filename: basename(path),
    ...facts,
  })
  const numbers = Array.from({ length: session.partsExpected }, (_, i) => i + 1)
  if (resign) await signed(api, session, [1])
  const send = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift())
      await sendPart(api, path, session, number)
  }
  await Promise.all(Array.from({ length: session.recommendedConcurrency }, send))
  return session
}

async function signed(
  api: Api,
  { uploadId }: Session,
  partNumbers: number[],
): Promise<{ url: string; bytes: number }[]> {
  const path = `/v1/stream/uploads/${uploadId}/parts/sign`
  return (await ask<{ parts: { url: string; bytes: number }[] }>(api, 'POST', path, { partNumbers })).parts
}

async function sendPart(api: Api, path: string, session: Session, number: number): Promise<void> {
  const [part] = await signed(api, session, [number])
  if (!part) throw new Error(`No URL for part ${number}.`)
  const body = Buffer.alloc(part.bytes)
  await using file = await open(path)
  await file.read(body, 0, part.bytes, (number - 1) * session.partSizeBytes)
  const answer = await fetch(part.url, { method: 'PUT', body })
  if (!answer.ok) throw new Error(`PUT part ${number}: ${answer.status} ${await answer.text()}`)
}

/**
 * Reads an asset every `every` milliseconds until `arrived` returns true. Throws if the asset failed, or after
 * `timeout` milliseconds.
 */
export async function waitFor(
  api: Api,
  assetId: string,
  arrived: (asset: Asset) => boolean,
  { timeout = 300_000, every = 100 }: { timeout?: number; every?: number } = {},
): Promise<Asset> {
  const end = Date.now() + timeout
  for (;;) {
    const asset = await ask<Asset>(api, 'GET', `/v1/stream/assets/${assetId}`)
    if (arrived(asset)) return asset
    if (asset.status === 'failed') throw new Error(`The asset failed: ${asset.failure_summary}`)
    if (Date.now() > end) throw new Error(`After ${timeout / 1000} s the asset is ${asset.status}: ${asset.stage}`)
    await pause(every)
  }
}

export async function mint(api: Api, assetId: string, wishes: Record<string, unknown> = {}): Promise<Playback> {
  return await ask<Playback>(api, 'POST', `/v1/stream/assets/${assetId}/playback-sessions`, wishes)
}
