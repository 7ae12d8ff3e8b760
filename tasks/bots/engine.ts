import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'

export interface DocumentText {
  type: string
  title: string | null
  /** Plain text or Markdown. Pages end with a form feed. */
  text: string
}

export interface DocumentReader {
  /** Reads the text of a file. Throws `PageUnreadableError` if it has no text, or exceeds the time or memory limit. */
  readText(
    bytes: Uint8Array,
    declaredType: string | undefined,
    orgId: string,
    signal: AbortSignal,
  ): Promise<DocumentText>
}

export interface ActionClient {
  outbound: OutboundClient
  /** Decrypts the secrets of actions. Undefined if the worker has no SIGNING_SECRET. */
  seal: Seal | undefined
  /**
   * Reserves a slot for an answer that can call actions. Dispose of the result to release the slot. Returns undefined
   * if the organisation has no free slot.
   */
  take(orgId: string): Disposable | undefined
}
