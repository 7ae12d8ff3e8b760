import type { PassedCompletion, TellPiece } from '#tasks/ai/rules/gateway.ts'
import type { PassedStream } from './passed-stream.ts'

/** A request as one server receives it, and the readers of its answer. */
export interface OpenRequest {
  body: Record<string, unknown>
  read(raw: unknown): PassedCompletion
  listen(tell: TellPiece): PassedStream
}
