import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'

/** What a document says. */
export interface DocumentText {
  /** Its media type by its content. */
  type: string
  title: string | null
  /** Plain text or Markdown; pages end with a form feed. */
  text: string
}

/** Reads documents: PDF, DOCX, HTML, Markdown and plain text. */
export interface DocumentReader {
  /**
   * Reads bytes for an organisation; throws `PageUnreadable` for what holds no text, or takes more time or memory than a document
   * may.
   */
  readText(
    bytes: Uint8Array,
    declaredType: string | undefined,
    orgId: string,
    signal: AbortSignal,
  ): Promise<DocumentText>
}

/** What calls actions of bots. */
export interface ActionClient {
  outbound: OutboundClient
  /** Opens the secrets of actions; undefined where the worker has no SIGNING_SECRET. */
  seal: Seal | undefined
  /** Takes a place for an answer that may call actions, and returns what gives it back; null while there is none for its organisation. */
  take(orgId: string): (() => void) | null
}
