import type { Action, ActionOf } from '#sql/automation/actions.ts'
import type { Rule } from '#sql/automation/rules.ts'
import type { EndedRun, WaitingRun } from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import type { EventFacts } from './placeholders.ts'

export interface Failure {
  code: string
  message: string
}

/** Result of an action: the ID of the created object, or the reason why nothing was created. */
export type Outcome = { resultId: string } | Failure

/** A run whose action is filled in. */
export interface FilledRun<Request> {
  run: WaitingRun
  rule: Rule
  request: Request
}

/** One kind of action. `perform` creates the objects in the transaction that ends the runs. */
export interface ActionKind<Type extends Action['type'], Request, Ready> {
  /** Replaces the placeholders. Throws `UnfilledError` if the event has no value, or the result is not valid. */
  fill(action: ActionOf<Type>, facts: EventFacts): Request
  /** Does what needs no transaction, such as rendering. Returns a failure for actions that cannot run. */
  prepare(db: Db, filled: readonly FilledRun<Request>[]): Promise<readonly (Ready | Failure)[]>
  perform(tx: Db, ready: readonly Ready[]): Promise<readonly Outcome[]>
}

export const isFailure = (one: object): one is Failure => 'code' in one && 'message' in one && !('resultId' in one)

const maxMessage = 1_000

const statusOf = ({ code }: Failure): EndedRun['status'] =>
  code === 'limited' || code === 'loop_stopped' ? code : 'failed'

export const toEnded = (
  { id, depth }: Pick<WaitingRun, 'id' | 'depth'>,
  type: Action['type'],
  outcome: Outcome,
): EndedRun =>
  'resultId' in outcome
    ? {
        ...{ id, depth, status: 'done', error_code: null, error_message: null },
        ...{ result_type: type, result_id: outcome.resultId },
      }
    : {
        ...{ id, depth, status: statusOf(outcome), result_type: null, result_id: null },
        ...{ error_code: outcome.code, error_message: outcome.message.slice(0, maxMessage) },
      }
