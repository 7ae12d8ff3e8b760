import { setTimeout as pause } from 'node:timers/promises'
import { type Api, ask } from './video-client.ts'

export interface FileObject {
  object_id: string
  scan_status: string
  verdict: {
    engine: string
    signature_version: string
    reasons: { code: string; detail: string; entry?: string }[]
  } | null
}

export async function sendFile(api: Api, filename: string, type: string, bytes: Uint8Array): Promise<FileObject> {
  const upload = await ask<{ object_id: string; upload_url: string; upload_headers: Record<string, string> }>(
    api,
    'POST',
    '/v1/files/uploads',
    { product_key: 'tour', tenant_id: 'tour', filename, content_type: type, byte_size: bytes.length },
  )
  const body = bytes as RequestInit['body'] & {}
  const answer = await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body })
  if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
  return await ask<FileObject>(api, 'POST', `/v1/files/uploads/${upload.object_id}/complete`, {})
}

/** Reads an object until its scan has ended. Throws after `timeout` milliseconds. */
export async function waitForScan(api: Api, object: FileObject, timeout = 60_000): Promise<FileObject> {
  const end = Date.now() + timeout
  let now = object
  while (['pending', 'scanning'].includes(now.scan_status)) {
    if (Date.now() > end) throw new Error(`After ${timeout / 1000} s the object is still ${now.scan_status}.`)
    await pause(100)
    now = await ask<FileObject>(api, 'GET', `/v1/files/objects/${object.object_id}`)
  }
  return now
}

export async function download(api: Api, objectId: string): Promise<Buffer> {
  const { download_url } = await ask<{ download_url: string }>(
    api,
    'POST',
    `/v1/files/objects/${objectId}/download-url`,
    {},
  )
  return Buffer.from(await (await fetch(download_url)).arrayBuffer())
}
