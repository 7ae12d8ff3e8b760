/** Model calls per answer. All except the last may call actions. */
export const mostTurns = 3

/** Calls of actions per answer, in all attempts. */
export const mostCalls = 4

/** Maximum characters of a call's arguments in JSON. */
export const mostArguments = 8_000

/** Maximum bytes of an action's response. */
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
