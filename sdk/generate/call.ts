import type { Method } from './methods.ts'

/** A call to show, with its values. */
export interface Call {
  method: Method
  body: unknown
  query: Record<string, unknown>
  given: Record<string, unknown>
  /** Values of the path parameters, in their order. */
  inPath: readonly string[]
}
