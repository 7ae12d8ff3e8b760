import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import * as apps from '#sql/push/apps.ts'
import type { Content } from '#sql/push/messages.ts'
import { acceptMessages } from '../../push/rules/accept-messages.ts'
import { findOversizes } from '../../push/rules/payload/payload.ts'
import { keepTestPushes } from '../../push/rules/test-messages.ts'
import type { SendableCopy } from './accept-mails.ts'

/** Maximum number of characters of an event’s text in a push. The app reads the rest from the inbox. */
const maxText = 500

/** Time to live in seconds. Equals the default. */
const ttl = 86_400

/** Target and priority. The priority equals the default and does not wake devices. */
const toOne = { target: 'user', priority: 5 } as const

/** Submits copies to the push area and records the result of each, in the caller’s transaction. */
export async function acceptPushes(tx: Db, waiting: readonly copies.WaitingCopy[]): Promise<void> {
  await copies.endMany(tx, await submitPushes(tx, waiting))
}

/**
 * Submits copies to the push area. The copies are either all from events of live keys or all from events of test keys.
 * Returns the result of each copy.
 */
export async function submitPushes(tx: Db, waiting: readonly SendableCopy[]): Promise<copies.EndedCopy[]> {
  if (waiting.length === 0) return []
  const known = await apps.findMany(
    tx,
    waiting.map(({ recipient }) => recipient),
  )
  const judged = waiting.map((copy) => {
    const content = contentOf(copy)
    return { copy, content, refused: refusalOf(copy, known.get(copy.recipient), content) }
  })
  const sound = judged.filter(({ refused }) => refused === undefined)
  const requests = sound.map(({ copy: { org_id, key_id, user_id, subject, recipient, recipient_user }, content }) => ({
    keyId: key_id,
    message: { org_id, app_id: recipient, user_id: recipient_user ?? subject ?? user_id, ...toOne, content },
    ttl,
  }))
  const isTest = waiting.every(({ sandbox = false }) => sandbox)
  const accepted = await (isTest ? keepTestPushes : acceptMessages)(tx, requests)
  const messageIds = new Map(sound.map(({ copy }, i) => [copy, accepted[i]?.id ?? null]))
  return judged.map(({ copy, refused }): copies.EndedCopy => {
    const { event_id, channel } = copy
    if (refused) return { event_id, channel, status: 'refused', ...refused, message_id: null }
    const message_id = messageIds.get(copy) ?? null
    if (message_id === null) return { event_id, channel, status: 'refused', ...overBudget, message_id }
    return { event_id, channel, status: 'accepted', reason: null, detail: null, message_id }
  })
}

const overBudget = { reason: 'budget_reached', detail: 'The organisation’s own budget has been reached.' }

function refusalOf(
  { org_id }: copies.WaitingCopy,
  app: apps.App | undefined,
  content: Content,
): Pick<copies.EndedCopy, 'reason' | 'detail'> | undefined {
  if (app?.org_id !== org_id) return { reason: 'not_found', detail: 'No such app.' }
  const [first] = findOversizes(content)
  if (!first) return undefined
  const detail = `The payload has ${first.bytes} bytes for ${first.provider}, but the limit is ${first.limit}.`
  return { reason: 'payload_too_large', detail }
}

/** Returns the content of a push: title and text, and the event’s data, ID and URL in its data. */
function contentOf({ event_id, title, body, data, url }: copies.WaitingCopy): Content {
  const text = [...(body ?? '')]
  const shown = text.length > maxText ? `${text.slice(0, maxText - 1).join('')}…` : text.join('')
  return { title, data: { ...data, event_id, ...(url !== null && { url }) }, ...(shown && { body: shown }) }
}
