import type { ChatActions } from './rules/chat-actions.ts'
import type { EngineResult, TokenUsage } from './rules/engine-result.ts'
import type { Gateway, RequestFault } from './rules/gateway.ts'

export type { EngineResult, TokenUsage } from './rules/engine-result.ts'

export interface SourceDocument {
  id: string
  title?: string | undefined
  url?: string | undefined
  text: string
}

/** A literal quote of a document: `text.slice(start, end)`, in UTF-16 units. */
export interface Citation {
  document_id: string
  title: string | null
  url: string | null
  quote: string
  start: number
  end: number
}

export interface ChatMessage {
  role: 'user' | 'assistant'
  content: string
}

export interface ChatRequest {
  /** System prompt, which must never be part of an answer. */
  system: string
  /** Oldest first. The last message is the one to answer. */
  messages: readonly ChatMessage[]
  documents: readonly SourceDocument[]
  fallback: string
  actions?: ChatActions | undefined
  maxTokens: number
  temperature?: number | undefined
}

export interface ChatReply extends EngineResult {
  content: string
  citations: Citation[]
  finish_reason: 'stop' | 'length' | 'content_filter'
}

export interface AnswerRequest {
  question: string
  documents: readonly SourceDocument[]
  language?: string | undefined
  maxTokens: number
  temperature?: number | undefined
}

/** An answer. `answer` is empty if the documents do not support one. */
export interface Answer extends EngineResult {
  answer: string
  answered: boolean
  /** From 0 to 1, a heuristic value. `null` if the engine returns none. */
  confidence: number | null
  citations: Citation[]
  finish_reason: ChatReply['finish_reason']
}

export interface SummaryRequest {
  text: string
  sentences: number
  format: 'paragraph' | 'bullets'
  language?: string | undefined
  focus?: string | undefined
}

export interface RankedSentence {
  text: string
  start: number
  end: number
  rank_score: number
}

/** A summary. `sentences` is set if it consists of sentences of the text. */
export interface Summary extends EngineResult {
  summary: string
  sentences: RankedSentence[] | null
}

export interface Label {
  name: string
  description?: string | undefined
  examples?: readonly string[] | undefined
}

export interface ClassifyRequest {
  input: readonly string[]
  labels: readonly Label[]
  multiLabel: boolean
  threshold?: number | undefined
}

/** Label of one text. `null` if no label is clear. */
export interface Classification {
  label: string | null
  labels: { label: string; score: number }[]
  low_confidence: boolean
}

export interface Classifications extends EngineResult {
  results: Classification[]
}

export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const

export type ModerationCategory = (typeof moderationCategories)[number]

export const byCategory = <Value>(of: (category: ModerationCategory) => Value): Record<ModerationCategory, Value> =>
  Object.fromEntries(moderationCategories.map((category) => [category, of(category)])) as Record<
    ModerationCategory,
    Value
  >

export interface ModerationResult {
  flagged: boolean
  categories: Record<ModerationCategory, boolean>
  category_scores: Record<ModerationCategory, number>
}

export interface Moderation extends EngineResult {
  results: ModerationResult[]
}

/** Language engine for tasks of the pool `llm`: an upstream model or the embedded engine. */
export interface LanguageEngine {
  /** Writes the next answer. `onDelta` receives the text as it arrives. */
  chat(request: ChatRequest, signal: AbortSignal, onDelta?: (text: string) => void): Promise<ChatReply>
  answer(request: AnswerRequest, signal: AbortSignal): Promise<Answer>
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<Summary>
  classify(request: ClassifyRequest, signal: AbortSignal): Promise<Classifications>
  moderate(input: readonly string[], signal: AbortSignal): Promise<Moderation>
  /**
   * Reserves a seat for one request of an organisation. Returns `null` if the organisation already uses its share of
   * seats. Background work can use only half of the share. Undefined if the engine has no limit.
   */
  seat?(orgId: string, isBackground?: boolean): Seat | null
  /** Passes requests on unchanged. Undefined without an upstream server. */
  gateway?: Gateway
  /**
   * Returns the names on the upstream servers of the models that may process a request. `asked` is `default` for
   * operations without a model. Undefined without an upstream server.
   */
  modelsFor?(operation: string, asked: string): readonly string[]
  close(): Promise<void>
}

export interface Seat {
  engine: LanguageEngine
  leave(): void
}

/** A failure with a public code. Never contains the error text of the upstream server. */
export class LanguageEngineError extends Error {
  readonly code: 'upstream_error' | 'provider_not_configured' | 'input_too_long' | 'content_refused'
  readonly upstreamStatus: number | null
  readonly retryable: boolean
  readonly engine: EngineResult['engine']
  readonly usage: TokenUsage | undefined
  readonly retryAfter: number | undefined
  /** Fault of the request itself, if it was passed on unchanged. */
  readonly requestFault: RequestFault | undefined
  /** True if the server did not respond in time. */
  readonly timedOut: boolean

  constructor(
    code: LanguageEngineError['code'],
    message: string,
    facts: {
      upstreamStatus?: number | null
      retryable?: boolean
      engine?: EngineResult['engine']
      usage?: TokenUsage | undefined
      retryAfter?: number | undefined
      requestFault?: RequestFault | undefined
      timedOut?: boolean | undefined
    } = {},
  ) {
    super(message)
    this.name = 'LanguageEngineError'
    this.code = code
    this.upstreamStatus = facts.upstreamStatus ?? null
    this.retryable = facts.retryable ?? false
    this.engine = facts.engine ?? 'upstream'
    this.usage = facts.usage
    this.retryAfter = facts.retryAfter
    this.requestFault = facts.requestFault
    this.timedOut = facts.timedOut ?? false
  }
}
