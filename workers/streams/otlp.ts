import { SeverityNumber } from '@opentelemetry/api'
import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { z } from 'zod'
import type { OutboundClient } from '#lib/http.ts'
import type { Batch, OpenTarget, SendResult, StreamRecord } from '#tasks/account/rules/streams/engine.ts'
import { post } from './post.ts'
import { isFailedRequest, isRejectedRequest } from './severity.ts'

const Settings = z.object({ url: z.string(), encoding: z.enum(['json', 'protobuf']) })

const Secrets = z.object({ headers: z.record(z.string(), z.string()) })

const encodings = {
  json: { serializer: JsonLogsSerializer, type: 'application/json' },
  protobuf: { serializer: ProtobufLogsSerializer, type: 'application/x-protobuf' },
} as const

type LogRecord = Parameters<typeof JsonLogsSerializer.serializeRequest>[0][number]

const instrumentationScope = { name: 'millrace' }

/** Sends a batch as logs of OTLP/HTTP. */
export async function sendToOtlp(
  target: OpenTarget,
  { records }: Batch,
  outbound: OutboundClient,
  signal: AbortSignal,
): Promise<SendResult> {
  const { url, encoding } = Settings.parse(target.settings)
  const { headers } = Secrets.parse(target.secrets)
  const { serializer, type } = encodings[encoding]
  const resource = resourceFromAttributes({ 'service.name': 'millrace', 'millrace.organisation.id': target.orgId })
  const body = serialize(
    serializer,
    records.map((record) => toLogRecord(record, resource)),
  )
  if (!body) return unserialized
  const sent = { url, headers: { ...headers, 'content-type': type }, body, signal }
  const { result, response } = await post(outbound, sent)
  if (result.outcome !== 'accepted' || !response) return result
  return { ...result, ...readDropped(serializer, response.body) }
}

/** The stream then finds this record and sets it aside, so that later records are sent. */
const unserialized: SendResult = {
  outcome: 'rejected',
  status: null,
  error: 'Millrace could not convert the record to OTLP. Its fields are nested too deeply.',
  answer: null,
  dropped: 0,
}

type Serializer = (typeof encodings)[keyof typeof encodings]['serializer']

/** Returns null if the serializer fails. It is recursive, so a deeply nested record exceeds the stack. */
function serialize(serializer: Serializer, records: LogRecord[]): Uint8Array | null {
  try {
    return serializer.serializeRequest(records) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function toLogRecord(record: StreamRecord, resource: LogRecord['resource']): LogRecord {
  const ms = Date.parse(record.time)
  const hrTime: [number, number] = [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
  const level = isFailedRequest(record) ? 'ERROR' : isRejectedRequest(record) ? 'WARN' : 'INFO'
  return {
    hrTime,
    hrTimeObserved: hrTime,
    severityNumber: SeverityNumber[level],
    severityText: level,
    eventName: `millrace.${record.source}`,
    body: record.data as NonNullable<LogRecord['body']>,
    attributes: { 'log.record.uid': record.id, 'millrace.source': record.source, 'millrace.type': record.type },
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
  }
}

/** Returns the records that the server dropped (`partial_success`). The protocol forbids to send them again. */
function readDropped(serializer: Serializer, body: Buffer): Pick<SendResult, 'dropped' | 'error'> {
  try {
    const partial = body.length === 0 ? undefined : serializer.deserializeResponse(body).partialSuccess
    const dropped = Number(partial?.rejectedLogRecords ?? 0)
    if (!(dropped > 0)) return { dropped: 0, error: null }
    return { dropped, error: `The server dropped ${dropped} records: ${partial?.errorMessage ?? 'no reason'}` }
  } catch {
    // The status is enough: some servers return a text that is not OTLP.
    return { dropped: 0, error: null }
  }
}
