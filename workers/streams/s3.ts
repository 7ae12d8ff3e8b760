import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import type { OutboundClient } from '#lib/http.ts'
import { BucketResponseError, RemoteBucket } from '#lib/storage/remote-bucket.ts'
import type { Batch, OpenTarget, SendResult, StreamRecord } from '#tasks/account/rules/streams/engine.ts'
import { toFailure } from './post.ts'

const Settings = z.object({
  endpoint: z.string(),
  region: z.string(),
  bucket: z.string(),
  addressing: z.enum(['path', 'virtual']),
  prefix: z.string(),
  access_key_id: z.string(),
})

const Secrets = z.object({ secret_access_key: z.string() })

const compress = promisify(gzip)

/** Writes a batch as one object: one JSON record per line, compressed with gzip. */
export async function sendToS3(
  target: OpenTarget,
  batch: Batch,
  outbound: OutboundClient,
  signal: AbortSignal,
): Promise<SendResult> {
  const { prefix, access_key_id: accessKey, ...settings } = Settings.parse(target.settings)
  const { secret_access_key: secretKey } = Secrets.parse(target.secrets)
  const bucket = new RemoteBucket({ ...settings, accessKey, secretKey }, outbound, signal)
  const lines = batch.records.map((record) => `${JSON.stringify(record)}\n`).join('')
  try {
    await bucket.write(prefix + nameOf(target.id, batch), await compress(lines), 'application/gzip')
    return { outcome: 'accepted', status: 200, error: null, answer: null, dropped: 0 }
  } catch (error) {
    if (!(error instanceof BucketResponseError)) return toFailure(error)
    const { status, message } = error
    return { outcome: status === 413 ? 'rejected' : 'failed', status, error: message, answer: error.code, dropped: 0 }
  }
}

/** Returns the key without the prefix. It depends only on the position of the batch, so a retry replaces the object. */
function nameOf(streamId: string, { source, first, records }: Batch): string {
  const { time, id, type } = records[0] as StreamRecord
  const day = `date=${time.slice(0, 10)}/hour=${time.slice(11, 13)}`
  if (type === 'stream.test') return `test/${day}/${id}.ndjson.gz`
  return `source=${source}/${day}/${String(first).padStart(16, '0')}-${streamId}.ndjson.gz`
}
