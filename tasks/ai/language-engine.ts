/** A document that an answer is taken from. */
export interface SourceDocument {
  id: string
  title?: string | undefined
  url?: string | undefined
  text: string
}

/** A quote that stands literally in a document: `text.slice(start, end)` of it, in UTF-16 units. */
export interface Citation {
  document_id: string
  title: string | null
  url: string | null
  quote: string
  start: number
  end: number
}

/** What a request cost; the embedded engine counts characters as a quarter of a token each. */
export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

/** Who did the work, and what it cost. */
export interface Worked {
  engine: 'upstream' | 'embedded'
  model: string
  usage: TokenUsage
}

/** A message of a conversation. */
export interface ChatMessage {
  role: 'user' | 'assistant'
  content: string
}

/** The next turn of a conversation. */
export interface ChatRequest {
  /** What the bot is told of itself; never part of an answer. */
  system: string
  /** Oldest first, the one to be answered last. */
  messages: readonly ChatMessage[]
  /** What the bot may quote. */
  documents: readonly SourceDocument[]
  /** What it says where it knows nothing. */
  fallback: string
  maxTokens: number
  temperature?: number | undefined
}

/** An answer to a conversation. */
export interface ChatReply extends Worked {
  content: string
  citations: Citation[]
  finish_reason: 'stop' | 'length' | 'content_filter'
}

/** What the pool `llm` lends its tasks: language work, by an upstream model or the embedded engine. */
export interface LanguageEngine {
  /** Goes on with a conversation; `onDelta` gets the text as it comes. */
  chat(request: ChatRequest, signal: AbortSignal, onDelta?: (text: string) => void): Promise<ChatReply>
  close(): Promise<void>
}

/** Language work that failed, as clients may know it: never with the upstream's own words. */
export class LanguageEngineError extends Error {
  readonly code: 'upstream_error' | 'provider_not_configured' | 'input_too_long'
  readonly upstreamStatus: number | null
  readonly retryable: boolean

  constructor(
    code: LanguageEngineError['code'],
    message: string,
    facts: { upstreamStatus?: number | null; retryable?: boolean } = {},
  ) {
    super(message)
    this.name = 'LanguageEngineError'
    this.code = code
    this.upstreamStatus = facts.upstreamStatus ?? null
    this.retryable = facts.retryable ?? false
  }
}
