import { z } from 'zod'
import type { OutboundClient } from '#lib/http.ts'
import type { Batch, OpenTarget, SendResult, StreamRecord } from '#tasks/account/rules/streams/engine.ts'
import { post } from './post.ts'

const Settings = z.object({
  url: z.string(),
  index: z.string().nullable(),
  sourcetype: z.string().nullable(),
})

const Secrets = z.object({ token: z.string() })

/** Sends a batch to the HTTP Event Collector of Splunk. */
export async function sendToSplunk(
  target: OpenTarget,
  { records }: Batch,
  outbound: OutboundClient,
  signal: AbortSignal,
): Promise<SendResult> {
  const settings = Settings.parse(target.settings)
  const { token } = Secrets.parse(target.secrets)
  const headers = { authorization: `Splunk ${token}`, 'content-type': 'application/json' }
  const body = records.map((record) => JSON.stringify(toEvent(record, settings))).join('\n')
  const url = new URL('/services/collector/event', settings.url).href
  return (await post(outbound, { url, headers, body, signal })).result
}

const sourceOf = ({ source }: StreamRecord): string => `millrace:${source}`

const toEvent = (record: StreamRecord, { index, sourcetype }: z.infer<typeof Settings>) => ({
  time: Date.parse(record.time) / 1_000,
  host: 'millrace',
  source: sourceOf(record),
  sourcetype: sourcetype ?? '_json',
  ...(index !== null && { index }),
  event: record,
})
