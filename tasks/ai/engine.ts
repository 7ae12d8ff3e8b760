import type { ChatActions } from './rules/chat-actions.ts'
import type { EngineResult, TokenUsage } from './rules/engine-result.ts'
import type { Gateway, RequestFault } from './rules/gateway.ts'
import type { Ranking, RerankRequest } from './rules/rerank-result.ts'

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

/** A sentence of a document that is near to the question by its meaning, in UTF-16 units. */
export interface NearSentence {
  document_id: string
  start: number
  end: number
  /** Likeness of question and sentence, from -1 to 1. */
  likeness: number
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
  /** Sentences of the documents, nearest first. Undefined if their meaning was not compared. */
  near?: readonly NearSentence[] | undefined
  fallback: string
  /** Text before passages that may help, in the language of the bot. */
  unsure?: string | undefined
  actions?: ChatActions | undefined
  maxTokens: number
  temperature?: number | undefined
}

export interface ChatReply extends EngineResult {
  content: string
  citations: Citation[]
  finish_reason: 'stop' | 'length' | 'content_filter'
  /** False if the reply has no answer: it is the fallback, or cites passages that may help. Undefined if not known. */
  answered?: boolean | undefined
  score?: number | null | undefined
}

export interface AnswerRequest {
  question: string
  documents: readonly SourceDocument[]
  near?: ChatRequest['near']
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
  /** Likeness of the question and the nearest sentence, from -1 to 1. `null` if their meaning was not compared. */
  score: number | null
  citations: Citation[]
  /** Undefined if an upstream model answered. */
  method?: 'meaning' | 'words' | undefined
  /** Detected language of the question (ISO 639-1). `null` if it is short or unclear. */
  question_language?: string | null | undefined
  /** Up to three passages that may help, if the documents do not support an answer. */
  suggestions: Citation[]
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
  /** Minimum difference between the scores of the best two labels. Ignored if several labels can apply. */
  margin?: number | undefined
}

/** Label of one text. `null` if no label is clear. */
export interface Classification {
  label: string | null
  labels: { label: string; score: number }[]
  low_confidence: boolean
  /** Difference between the scores of the best two labels. */
  margin?: number | undefined
  /** Language of the text, if it was detected. */
  language?: string | null | undefined
  /** How the text was compared with the labels. Undefined means by a model. */
  method?: 'meaning' | 'words' | undefined
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
  /** Undefined if the model inside the worker did not rate the text. */
  review?: ModerationReview | undefined
}

/** Order for a review queue. Nobody judged the text, so it never blocks. */
export interface ModerationReview {
  /** From 0 to 1. `null` if the text is not English. */
  score: number | null
  model: string
  language: string | null
}

export interface Moderation extends EngineResult {
  results: ModerationResult[]
}

/** Model that turns short texts into vectors. Texts with a similar meaning have vectors with a high dot product. */
export interface MeaningModel {
  readonly name: 'use-lite-en'
  readonly language: 'en'
  readonly dimensions: 512
  /**
   * Returns unit vectors, in the order of the texts. Only about the first 1,000 tokens of a text count. Detect the
   * language first, because vectors of texts in other languages mean little. Embed sentences instead of long passages.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

/** Language engine for tasks of the pool `llm`: an upstream model or the embedded engine. */
export interface LanguageEngine {
  /** Writes the next answer. `onDelta` receives the text as it arrives. */
  chat(request: ChatRequest, signal: AbortSignal, onDelta?: (text: string) => void): Promise<ChatReply>
  answer(request: AnswerRequest, signal: AbortSignal): Promise<Answer>
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<Summary>
  classify(request: ClassifyRequest, signal: AbortSignal): Promise<Classifications>
  moderate(input: readonly string[], signal: AbortSignal): Promise<Moderation>
  /** Orders documents by their relevance to a query. */
  rerank(request: RerankRequest, signal: AbortSignal): Promise<Ranking>
  /**
   * Reserves a seat for one request of an organisation. Returns `null` if the organisation already uses its share of
   * seats. Background work can use only half of the share. Undefined if the engine has no limit.
   */
  seat?(orgId: string, isBackground?: boolean): Seat | null
  /** Passes requests on unchanged. Undefined without an upstream server. */
  gateway?: Gateway
  /** Model inside the worker that turns short texts into vectors. Undefined if turned off. */
  meaning?: MeaningModel | undefined
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
