import type { Kind, Source } from '#sql/account/streams/streams.ts'

/** Record as it is sent. A retry sends the same `id`, so that the receiver can remove duplicates. */
export interface StreamRecord {
  id: string
  source: Source
  time: string
  /** Action, event type or operation. */
  type: string
  organisation_id: string
  data: Readonly<Record<string, unknown>>
}

export interface Batch {
  source: Source
  /** Number of the first record. It is part of the name of an S3 object, so that a retry replaces the object. */
  first: number
  records: readonly StreamRecord[]
}

export interface OpenTarget {
  id: string
  orgId: string
  kind: Kind
  settings: Readonly<Record<string, unknown>>
  secrets: Readonly<Record<string, unknown>>
}

/**
 * Result of one attempt. `rejected`: the server does not accept this content, so a retry cannot succeed. `failed`: the
 * server is unavailable or not set up correctly. `dropped` is the number of records that the server accepted and dropped.
 */
export interface SendResult {
  outcome: 'accepted' | 'rejected' | 'failed'
  status: number | null
  error: string | null
  /** Start of the response body. */
  answer: string | null
  dropped: number
}

export interface StreamEngine {
  send(target: OpenTarget, batch: Batch, signal: AbortSignal): Promise<SendResult>
}
