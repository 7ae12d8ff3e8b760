import type { ChatActions } from './rules/chat-actions.ts'
import type { EngineResult, TokenUsage } from './rules/engine-result.ts'
import type { Gateway, RequestFault } from './rules/gateway.ts'

export type { EngineResult, TokenUsage } from './rules/engine-result.ts'

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
  /** What the bot may call before it answers. */
  actions?: ChatActions | undefined
  maxTokens: number
  temperature?: number | undefined
}

/** An answer to a conversation. */
export interface ChatReply extends EngineResult {
  content: string
  citations: Citation[]
  finish_reason: 'stop' | 'length' | 'content_filter'
}

/** A question, to be answered from documents; without any, by what the model knows itself. */
export interface AnswerRequest {
  question: string
  documents: readonly SourceDocument[]
  /** A BCP 47 tag that the answer is to be in; that of the question unless said. */
  language?: string | undefined
  maxTokens: number
  temperature?: number | undefined
}

/** An answer; without one that the documents bear out, `answer` is empty. */
export interface Answer extends EngineResult {
  answer: string
  answered: boolean
  /** 0 to 1, a heuristic; null where there is none. */
  confidence: number | null
  citations: Citation[]
  finish_reason: ChatReply['finish_reason']
}

/** A text to be shortened. */
export interface SummaryRequest {
  text: string
  /** Sentences of the summary at most. */
  sentences: number
  format: 'paragraph' | 'bullets'
  language?: string | undefined
  /** What the reader cares about. */
  focus?: string | undefined
}

/** A sentence of the text that stands in its summary, with how central it is, 0 to 1. */
export interface RankedSentence {
  text: string
  start: number
  end: number
  rank_score: number
}

/** A summary; one made of sentences of the text names them. */
export interface Summary extends EngineResult {
  summary: string
  sentences: RankedSentence[] | null
}

/** What a text may be. */
export interface Label {
  name: string
  description?: string | undefined
  examples?: readonly string[] | undefined
}

/** Texts to be labelled. */
export interface ClassifyRequest {
  input: readonly string[]
  labels: readonly Label[]
  /** Whether each label is judged by itself, so that several can hold. */
  multiLabel: boolean
  /** The score from which a label is given. */
  threshold?: number | undefined
}

/** The label of one text: null when no label is clear. */
export interface Classification {
  label: string | null
  labels: { label: string; score: number }[]
  low_confidence: boolean
}

/** The labels of texts, in their order. */
export interface Classifications extends EngineResult {
  results: Classification[]
}

/** The categories of harm, as OpenAI's moderation names them. */
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

/** One category of harm. */
export type ModerationCategory = (typeof moderationCategories)[number]

/** A value for each category. */
export const byCategory = <Value>(of: (category: ModerationCategory) => Value): Record<ModerationCategory, Value> =>
  Object.fromEntries(moderationCategories.map((category) => [category, of(category)])) as Record<
    ModerationCategory,
    Value
  >

/** How harmful one text is, by category. */
export interface ModerationResult {
  flagged: boolean
  categories: Record<ModerationCategory, boolean>
  category_scores: Record<ModerationCategory, number>
}

/** How harmful texts are, in their order. */
export interface Moderation extends EngineResult {
  results: ModerationResult[]
}

/** What the pool `llm` lends its tasks: language work, by an upstream model or the embedded engine. */
export interface LanguageEngine {
  /** Goes on with a conversation; `onDelta` gets the text as it comes. */
  chat(request: ChatRequest, signal: AbortSignal, onDelta?: (text: string) => void): Promise<ChatReply>
  /** Answers a question with quotes that stand literally in its documents. */
  answer(request: AnswerRequest, signal: AbortSignal): Promise<Answer>
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<Summary>
  classify(request: ClassifyRequest, signal: AbortSignal): Promise<Classifications>
  moderate(input: readonly string[], signal: AbortSignal): Promise<Moderation>
  /**
   * Where work may hang: a seat for one piece of an organisation's; null while the organisation holds its share of them, or half of it
   * where nobody waits for the work.
   */
  seat?(orgId: string, isBackground?: boolean): Seat | null
  /** Passes requests on as they are; an engine without an upstream has none. */
  gateway?: Gateway
  close(): Promise<void>
}

/** A place for one piece of an organisation's work. */
export interface Seat {
  /** What does the work. */
  engine: LanguageEngine
  /** Gives the seat back. */
  leave(): void
}

/** Language work that failed, as clients may know it: never with the upstream's own words. */
export class LanguageEngineError extends Error {
  readonly code: 'upstream_error' | 'provider_not_configured' | 'input_too_long' | 'content_refused'
  readonly upstreamStatus: number | null
  readonly retryable: boolean
  readonly engine: EngineResult['engine']
  /** What it cost all the same. */
  readonly usage: TokenUsage | undefined
  /** Seconds after which trying again makes sense, where that is known. */
  readonly retryAfter: number | undefined
  /** What is wrong with the request itself, where it was passed on as it is. */
  readonly requestFault: RequestFault | undefined

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
  }
}
