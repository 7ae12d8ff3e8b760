import type { Seal } from '#lib/seal.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { StreamEngine } from './engine.ts'

export const sentRecords = counter('millrace_log_stream_records_total', 'Records of log streams by result.', [
  'kind',
  'result',
])

export interface StreamTools {
  db: DatabasePool
  engine: StreamEngine
  seal: Seal
  signal: AbortSignal
}

export interface StreamRun {
  streamId: string
  wakeId: string
}

/** `more`: records can be left. `idle`: all records are sent. Otherwise the pause after a failure in milliseconds. */
export type Ending = 'more' | 'idle' | { pauseMs: number }
