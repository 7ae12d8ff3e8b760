import { canonicalJson } from '#lib/canonical.ts'
import { newId } from '#lib/ids.ts'
import * as calls from '#sql/bots/action-calls.ts'
import type { Offer } from '#sql/bots/actions.ts'
import type { StartedAnswer } from '#sql/bots/answers.ts'
import { type ActionAnswer, type ChatActions, type MadeCall, mostCalls } from '../../ai/rules/chat-actions.ts'
import { plainArguments } from './action-arguments.ts'
import { type CallMeans, makeCall, type Outcome } from './action-request.ts'

/** Timeout for all calls of an answer in milliseconds, because the client waits. */
const answerMs = 30_000

const gone: ActionAnswer = { error: 'The action no longer exists, or another attempt has the answer.' }

/**
 * Returns the actions for one answer. Undefined if there are none. Records each call before it is made. A restarted
 * answer continues from these records. It repeats calls whose result is unknown or old, with the same `webhook-id`.
 */
export function createChatActions(
  begun: StartedAnswer,
  offers: readonly Offer[],
  means: CallMeans,
): ChatActions | undefined {
  if (offers.length === 0) return undefined
  const { db } = means
  /** Results by action and arguments. If a model repeats a call, it gets the same result. */
  const brought = new Map<string, string>()
  let [left, leftMs] = [mostCalls, answerMs]

  async function make(id: string, call: { actionId: string; number: number; given: unknown }, before = 0) {
    const since = performance.now()
    const outcome = await makeCall(begun, { ...call, leftMs }, means)
    const took = Math.round(performance.now() - since)
    leftMs -= took
    await calls.end(db, { id, ...outcome, ms: before + took })
    return outcome
  }

  function note(actionId: string, given: unknown, outcome: Pick<Outcome, 'answer' | 'error'>): ActionAnswer {
    if (outcome.error) return { error: outcome.error.message }
    const text = outcome.answer ?? ''
    brought.set(keyOf(actionId, given), text)
    return { text }
  }

  async function goOn(): Promise<readonly MadeCall[]> {
    const rows = await calls.listEarlierCalls(db, begun.id)
    left -= rows.at(-1)?.number ?? 0
    for (const { is_old, ms } of rows) if (!is_old) leftMs -= ms
    const made: MadeCall[] = []
    for (const row of rows) {
      const offer = offers.find(({ id }) => id === row.action_id)
      if (!offer) continue
      const answer = await answerOf(row)
      made.push({ name: offer.name, given: row.arguments, answer })
    }
    return made
  }

  async function answerOf(row: calls.Made): Promise<ActionAnswer> {
    const { id, action_id: actionId, number, arguments: given, is_old, ms } = row
    if (row.status !== 'unknown' && !is_old) return note(actionId, given, row)
    if (!(await calls.repeatCall(db, { id, message_id: begun.id, generation: begun.generation }))) return gone
    return note(actionId, given, await make(id, { actionId, number, given }, is_old ? 0 : ms))
  }

  let earlier: Promise<readonly MadeCall[]> | undefined
  const made = () => {
    earlier ??= goOn()
    return earlier
  }

  return {
    definitions: offers.map(({ id: _id, ...definition }) => definition),
    made,
    async call(name, given) {
      await made()
      const offer = offers.find((one) => one.name === name)
      if (!offer) return { error: 'This action does not exist.' }
      const noted = plainArguments(given)
      const known = noted && brought.get(keyOf(offer.id, noted))
      if (typeof known === 'string') return { text: known }
      if (left <= 0) return { error: 'No more calls are allowed for this answer.' }
      left--
      const id = newId()
      const about = { action_id: offer.id, message_id: begun.id, generation: begun.generation }
      const number = await calls.begin(db, { id, ...about, arguments: noted })
      if (number === null) return gone
      return note(offer.id, noted, await make(id, { actionId: offer.id, number, given }))
    },
    async refused() {
      const notes = offers.map(({ id }) => ({ id: newId(), action_id: id }))
      await calls.recordUnsupported(db, notes, begun.id, {
        code: 'tools_unsupported',
        message: 'The model’s server does not support tools. The bot answered without its actions.',
      })
    },
  }
}

const keyOf = (actionId: string, given: unknown): string => `${actionId} ${canonicalJson(given)}`
