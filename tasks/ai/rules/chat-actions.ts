/** How often a model is asked for one answer: each time but the last it may call actions. */
export const mostTurns = 3

/** Calls of actions for one answer, over all attempts at it. */
export const mostCalls = 4

/** Characters of JSON that a call's arguments may have. */
export const mostArguments = 8_000

/** Bytes that an action may answer. */
export const mostAnswerBytes = 8_000

/** An action as an engine is told of it. */
export interface ActionDefinition {
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: { type: 'object'; properties: Record<string, unknown>; required: readonly string[] }
  /** Phrases upon which an engine that follows no description calls it. */
  triggers: readonly string[]
}

/** What an action answered, at most `mostAnswerBytes`, or why it did not, in words for a model. */
export type ActionAnswer = { text: string } | { error: string }

/** A call that an earlier attempt at the answer has made. */
export interface MadeCall {
  name: string
  given: unknown
  answer: ActionAnswer
}

/** What a bot may call before it answers. */
export interface ChatActions {
  definitions: readonly ActionDefinition[]
  /** What earlier attempts at the answer have called, in its order. */
  made(): Promise<readonly MadeCall[]>
  /** Calls an action; what is wrong with the arguments, or with the action's server, is an answer, too. */
  call(name: string, given: unknown): Promise<ActionAnswer>
  /** Notes that the model's server takes no actions. */
  refused(): Promise<void>
}
