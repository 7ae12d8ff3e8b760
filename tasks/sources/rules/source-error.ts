import { OutboundError } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { PageUnreadableError } from '../../wiki/engine.ts'

export interface SourceFault {
  code: string
  message: string
  /** True if a later attempt can succeed. */
  passing: boolean
  http_status?: number
  final_url?: string | undefined
}

/** Thrown if a source could not be fetched or read. The message is a sentence for users. */
export class SourceError extends Error {
  override name = 'SourceError'
  readonly facts: Partial<Omit<SourceFault, 'message'>>

  constructor(message: string, facts: Partial<Omit<SourceFault, 'message'>> = {}) {
    super(message)
    this.facts = facts
  }
}

const passing: ReadonlySet<string> = new Set(['timed_out', 'connection_failed', 'unresolved'])

/** Returns why a source could not be read. Rethrows other errors. */
export function getSourceFault(error: unknown): SourceFault {
  const message = error instanceof Error ? toStorableText(error.message, 500) : ''
  if (error instanceof OutboundError) return { code: error.shown, message, passing: passing.has(error.shown) }
  if (error instanceof SourceError) return { code: 'failed', passing: false, ...error.facts, message }
  if (error instanceof PageUnreadableError) return { code: 'unreadable', message, passing: false }
  throw error
}
