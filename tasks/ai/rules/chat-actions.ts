/** Maximum number of model calls per answer. All except the last can call actions. */
export const mostTurns = 3

/** Maximum number of action calls per answer, over all attempts. */
export const mostCalls = 4

/** Maximum number of characters of a call’s arguments in JSON. */
export const mostArguments = 8_000

/** Maximum size of an action’s response in bytes. */
export const mostAnswerBytes = 8_000

export interface ActionDefinition {
  name: string
  description: string
  parameters: { type: 'object'; properties: Record<string, unknown>; required: readonly string[] }
  triggers: readonly string[]
}

/** Response of an action, up to `mostAnswerBytes`, or a failure text for the model. */
export type ActionAnswer = { text: string } | { error: string }

export interface MadeCall {
  name: string
  given: unknown
  answer: ActionAnswer
}

export interface ChatActions {
  definitions: readonly ActionDefinition[]
  made(): Promise<readonly MadeCall[]>
  call(name: string, given: unknown): Promise<ActionAnswer>
  refused(): Promise<void>
}
