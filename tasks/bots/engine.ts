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
  /** Reads bytes; throws `PageUnreadable` for what holds no text, or takes more time or memory than a document may. */
  readText(bytes: Uint8Array, declaredType: string | undefined, signal: AbortSignal): Promise<DocumentText>
}
