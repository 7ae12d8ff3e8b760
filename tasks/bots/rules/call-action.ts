import { hash } from 'node:crypto'
import { OutboundError } from '#lib/address-guard.ts'
import { canonical } from '#lib/canonical.ts'
import { Later } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { outsideText } from '#lib/outside-text.ts'
import * as calls from '#sql/bots/action-calls.ts'
import * as actions from '#sql/bots/actions.ts'
import type { StartedAnswer } from '#sql/bots/answers.ts'
import { type ActionAnswer, type ChatActions, mostAnswerBytes } from '../../ai/rules/chat-actions.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { signature } from '../../webhooks/rules/sign.ts'
import { argumentsFaultOf } from './action-arguments.ts'

/** Milliseconds for one call, and for all calls of an answer: whoever asked waits meanwhile. */
const [callMs, answerMs] = [10_000, 30_000]

/** Milliseconds until an answer is tried again whose organisation has its share of calls under way. */
const waitMs = 500

/** What calls are made with. */
export type CallMeans = Pick<Attempt & Tools['llm'], 'actions' | 'db' | 'signal'>

/** Why a call brought nothing. */
class CallFault extends Error {
  readonly code: string
  readonly status: number | null

  constructor(code: string, message: string, status: number | null = null) {
    super(message)
    this.code = code
    this.status = status
  }
}

/**
 * What a bot may call for one answer; undefined where it has no actions. An answer that is made anew takes what a call with the
 * same arguments has brought: only a worker that dies between a call and its note makes it twice, with the same `webhook-id`.
 */
export function actionsFor(
  begun: StartedAnswer,
  offers: readonly actions.Offer[],
  means: CallMeans,
): ChatActions | undefined {
  if (offers.length === 0) return undefined
  let left = answerMs
  return {
    definitions: offers.map(({ id: _id, ...definition }) => definition),
    async call(name, given) {
      const offer = offers.find((one) => one.name === name)
      if (!offer) return { error: 'There is no such action.' }
      const digest = hash('sha256', canonical(given), 'hex')
      const about = { action_id: offer.id, message_id: begun.id, digest }
      const brought = await calls.findAnswer(means.db, about)
      if (brought !== null) return { text: brought }
      const since = performance.now()
      const ended = await outcomeOf(begun, offer, { given, digest, within: Math.min(callMs, left) }, means)
      const ms = Math.round(performance.now() - since)
      left -= ms
      await calls.insert(means.db, { id: newId(), ...about, arguments: objectOf(given), ...ended, ms })
      return told(ended)
    },
  }
}

const objectOf = (given: unknown): Record<string, unknown> | null =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Record<string, unknown>) : null

type Outcome = Pick<calls.Ended, 'status' | 'http_status' | 'answer' | 'error'>

const told = ({ answer, error }: Outcome): ActionAnswer => (error ? { error: error.message } : { text: answer ?? '' })

interface Asked {
  given: unknown
  digest: string
  /** Milliseconds that are left for it. */
  within: number
}

async function outcomeOf(begun: StartedAnswer, offer: actions.Offer, asked: Asked, means: CallMeans): Promise<Outcome> {
  try {
    const fault = argumentsFaultOf(offer.parameters, asked.given)
    if (fault !== undefined)
      throw new CallFault('bad_arguments', outsideText(`The arguments do not fit: ${fault}`, 1_000))
    const { status: http_status, text: answer } = await request(begun, offer, asked, means)
    return { status: 'ok', http_status, answer, error: null }
  } catch (error) {
    return { status: 'failed', answer: null, ...faultOf(error) }
  }
}

/** Why a call brought nothing; rethrows what is no fault of the action or its server. */
function faultOf(error: unknown): Pick<Outcome, 'http_status' | 'error'> {
  if (error instanceof CallFault) {
    return { http_status: error.status, error: { code: error.code, message: error.message } }
  }
  if (!(error instanceof OutboundError)) throw error
  return { http_status: null, error: { code: error.shown, message: outsideText(error.message, 500) } }
}

/** Makes the request, signed by Standard Webhooks 1.0. Throws `Later` while the organisation has its share of calls under way. */
async function request(begun: StartedAnswer, offer: actions.Offer, { given, digest, within }: Asked, means: CallMeans) {
  const { actions: client, db, signal } = means
  if (within <= 0) throw new CallFault('timed_out', `The ${answerMs} ms that an answer has for its actions are over.`)
  const target = await actions.findEnabled(db, offer.id)
  if (!target) throw new CallFault('disabled', 'The action is not there any more.')
  const secret = client.seal?.open(target.secret, offer.id)
  if (!secret)
    throw new CallFault('secret_unreadable', 'The worker’s SIGNING_SECRET does not open the action’s secret.')
  const id = `act_${hash('sha256', `${offer.id} ${begun.id} ${digest}`, 'hex').slice(0, 32)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { bot_id, conversation_id, id: message_id, user_id, question } = begun
  const about = { bot_id, conversation_id, message_id, user_id, message: question }
  const body = JSON.stringify({ action: offer.name, arguments: given, ...about })
  const leave = client.take(begun.org_id)
  if (!leave) throw new Later(waitMs, 'its organisation has as many calls of actions under way as its share')
  try {
    const reply = await client.outbound.request(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/plain',
        'user-agent': 'Millrace-Bots/1.0',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature(secret, `${id}.${timestamp}.${body}`),
      },
      body,
      timeout: within,
      maxBytes: mostAnswerBytes,
      signal,
    })
    const isOk = reply.status >= 200 && reply.status < 300
    if (!isOk) throw new CallFault('http_status', `The action’s server answered ${reply.status}.`, reply.status)
    return { status: reply.status, text: outsideText(reply.body.toString()) }
  } finally {
    leave()
  }
}
