import { badRequest, forbidden, notFound, Problem } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import type * as messages from '#sql/push/messages.ts'
import * as templates from '#sql/push/templates.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { acceptMessages, type MessageRequest } from '#tasks/push/rules/accept-messages.ts'
import { findOversizes } from '#tasks/push/rules/payload/payload.ts'
import { keepTestPushes } from '#tasks/push/rules/test-messages.ts'
import type { MessageForm } from './form.ts'
import { renderTemplate } from './render.ts'
import { getRecipients } from './targets.ts'

export interface SendCall extends Pick<Caller, 'org' | 'key'> {
  body: MessageForm
  requestId: string
  trace: string | undefined
}

type Accepted = Pick<messages.NewMessage, 'id' | 'status'>

/**
 * Stores messages and the jobs that find their devices, in the caller’s transaction. Returns a problem for each
 * rejected message. Messages of test keys go only to the test inbox.
 */
export async function acceptCalls(tx: Db, sendings: readonly SendCall[]): Promise<(Accepted | Problem)[]> {
  const ids = sendings.map(({ body }) => body.app_id)
  const templateIds = sendings.flatMap(({ body }) => body.template_id ?? [])
  const [ownApps, ownTemplates] = [await apps.findMany(tx, ids), await templates.findMany(tx, templateIds)]
  const outcomes = sendings.map((sending) => {
    const refusal = refuse(sending, ownApps)
    if (refusal) return refusal
    const content = contentOf(sending, ownTemplates)
    return content instanceof Problem ? content : wantedOf(sending, content)
  })
  const sound = outcomes.flatMap((outcome, i) => {
    const { key } = sendings[i] as SendCall
    return outcome instanceof Problem ? [] : [{ ...outcome, keyId: key.id, isTest: key.mode === 'test', outcome }]
  })
  const rows = new Map<MessageRequest, Accepted | Problem>()
  const tried = sound.filter(({ isTest }) => isTest)
  for (const [i, kept] of (await keepTestPushes(tx, tried)).entries())
    rows.set((tried[i] as (typeof tried)[number]).outcome, kept)
  const wanted = sound.filter(({ isTest }) => !isTest).map(({ outcome }) => outcome)
  const accepted = await acceptMessages(tx, wanted)
  for (const [i, one] of wanted.entries())
    rows.set(one, accepted[i] ?? (await findReachedBudget(tx, one.message.org_id, 'push.messages')))
  return outcomes.map((one) => (one instanceof Problem ? one : (rows.get(one) as Accepted | Problem)))
}

function refuse({ body, org, key }: SendCall, known: ReadonlyMap<string, apps.App>): Problem | undefined {
  const lock = key.locks.app_id
  if (lock !== undefined && lock !== body.app_id) return forbidden('This API key is restricted to a different app.')
  return known.get(body.app_id)?.org_id === org.id ? undefined : notFound('app')
}

function contentOf(
  { body: { template_id, variables, ...form }, org }: SendCall,
  known: ReadonlyMap<string, templates.Template>,
): messages.Content | Problem {
  const { content } = partsOf(form)
  if (template_id !== undefined) {
    const template = known.get(template_id)
    if (template?.org_id !== org.id) return notFound('template')
    const { texts, faults } = renderTemplate(template, variables ?? {})
    if (faults.length > 0) return badRequest(faults)
    const { id, version, default_locale } = template
    Object.assign(content, { texts, default_locale, template: { id, version } })
  }
  return getSizeProblem(content) ?? content
}

/** Returns an error if the payload exceeds the limit of a provider. Returns undefined if it fits all limits. */
export function getSizeProblem(content: messages.Content): Problem | undefined {
  const found = findOversizes(content)
  if (found.length === 0) return undefined
  const words = found.map(
    ({ provider, bytes, limit, locale }) =>
      `${bytes} bytes for ${provider}${locale ? ` in ${locale}` : ''}, but the limit is ${limit}`,
  )
  const message = `body: the payload is too large: ${words.join('; ')}`
  return new Problem(400, 'bad_request', message, {
    details: found.map((one) => ({ field: 'body', issue: 'the payload is too large', ...one })),
  })
}

function wantedOf({ body, org, requestId, trace }: SendCall, content: messages.Content): MessageRequest {
  const { target, ttl, send_at, template_id, variables, idempotency_key, ...form } = body
  const { columns } = partsOf(form)
  return {
    message: { ...columns, ...getRecipients(target), org_id: org.id, content },
    ttl,
    sendAt: send_at === undefined ? undefined : new Date(send_at),
    requestId,
    trace,
  }
}

/** Splits the fields of a form into the fields of the content and the columns of the message. */
function partsOf<Form extends messages.Content>(form: Form) {
  const { title, body, data, image, actions, badge, sound, ios, android, web, overrides, ...columns } = form
  const content: messages.Content = { title, body, data, image, actions, badge, sound, ios, android, web, overrides }
  return { content, columns }
}
