import { hash } from 'node:crypto'
import { OutboundError } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { CallResult } from '#sql/bots/action-calls.ts'
import * as actions from '#sql/bots/actions.ts'
import type { StartedAnswer } from '#sql/bots/answers.ts'
import { mostAnswerBytes } from '../../ai/rules/chat-actions.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { computeSignature } from '../../webhooks/rules/sign.ts'
import { findArgumentsFault } from './action-arguments.ts'

const callMs = 10_000

/** Minimum time in milliseconds that a server must have before a timeout counts against it. */
const fairMs = 5_000

export type CallMeans = Pick<Attempt & Tools['llm'], 'actions' | 'db' | 'signal'>

export interface Call {
  actionId: string
  number: number
  given: unknown
  leftMs: number
}

export type Outcome = Omit<CallResult, 'id' | 'ms'>

class CallFault extends Error {
  readonly code: string
  /** HTTP status, `null` if no request was sent. */
  readonly status: number | null

  constructor(code: string, message: string, status: number | null = null) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** Makes a call with the current action. Throws errors that neither the action nor its server caused. */
export async function makeCall(begun: StartedAnswer, call: Call, means: CallMeans): Promise<Outcome> {
  const within = Math.min(callMs, call.leftMs)
  try {
    const target = await actions.findEnabled(means.db, call.actionId)
    if (!target) throw new CallFault('disabled', 'The action no longer exists.')
    const fault = findArgumentsFault(target.parameters, call.given)
    if (fault !== undefined)
      throw new CallFault('bad_arguments', toStorableText(`The arguments are invalid: ${fault}`, 1_000))
    if (target.paused)
      throw new CallFault('paused', 'The action is paused for a minute, because three calls in a row timed out.')
    if (within <= 0)
      throw new CallFault('out_of_time', 'The time limit for the actions of this answer has been reached.')
    const { status: http_status, text: answer } = await request(begun, call, target, within, means)
    return { status: 'ok', http_status, answer, error: null, timedOut: false }
  } catch (error) {
    return { status: 'failed', answer: null, ...faultOf(error, within) }
  }
}

function faultOf(error: unknown, within: number): Pick<Outcome, 'http_status' | 'error' | 'timedOut'> {
  if (error instanceof CallFault) {
    const { status: http_status, code, message } = error
    return { http_status, error: { code, message }, timedOut: http_status === null ? undefined : false }
  }
  if (!(error instanceof OutboundError)) throw error
  const code = error.shown
  const timedOut = code === 'timed_out' && (within >= fairMs || undefined)
  return { http_status: null, error: { code, message: toStorableText(error.message, 500) }, timedOut }
}

async function request(
  begun: StartedAnswer,
  { actionId, number, given }: Call,
  target: actions.Target,
  timeout: number,
  { actions: { outbound, seal }, signal }: CallMeans,
) {
  const secret = seal?.open(target.secret, actionId)
  if (!secret)
    throw new CallFault('secret_unreadable', 'The worker’s SIGNING_SECRET cannot decrypt the secret of the action.')
  const id = `act_${hash('sha256', `${actionId} ${begun.id} ${number}`, 'hex').slice(0, 32)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { bot_id, conversation_id, id: message_id, user_id, question } = begun
  const about = { bot_id, conversation_id, message_id, user_id, message: question }
  const body = JSON.stringify({ action: target.name, arguments: given, ...about })
  const reply = await outbound.request(target.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/plain',
      'user-agent': 'Millrace-Bots/1.0',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': computeSignature(secret, `${id}.${timestamp}.${body}`),
    },
    body,
    timeout,
    maxBytes: mostAnswerBytes,
    signal,
  })
  const isOk = reply.status >= 200 && reply.status < 300
  if (!isOk) throw new CallFault('http_status', `The action’s server returned ${reply.status}.`, reply.status)
  return { status: reply.status, text: textOf(reply.body, reply.status) }
}

/** Requires UTF-8 without NUL, because replacement characters would exceed the allowed length. */
function textOf(body: Buffer, status: number): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    if (!text.includes('\0')) return text
  } catch {}
  throw new CallFault('bad_encoding', 'The response is not valid UTF-8 text.', status)
}
