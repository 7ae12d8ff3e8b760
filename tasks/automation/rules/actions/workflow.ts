import { Address, toStoredForm } from '#lib/email-address.ts'
import { newId } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import * as events from '#sql/notify/events.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import type { EventRequest } from '../../../notify/rules/draw-up.ts'
import { getPersonId } from '../../../notify/rules/person-id.ts'
import { recordEvents } from '../../../notify/rules/record-events.ts'
import { recordTestEvents } from '../../../notify/rules/test-events.ts'
import type { ActionKind, FilledRun } from '../outcome.ts'
import { fillText, UnfilledError } from '../placeholders.ts'

/** Limits of notification events, in characters. */
const longest = { title: 300, body: 10_000, url: 2_000, value: 2_000 }

export interface WorkflowRequest {
  workflow: string
  user_id: string
  title: string
  body: string | null
  url: string | null
  data: Record<string, string>
  email: string | null
}

interface ReadyEvent {
  event: EventRequest & { id: string }
  isTest: boolean
}

/** Starts a published workflow for a person. Events of test keys go only to the test inbox. */
export const workflowKind: ActionKind<'workflow', WorkflowRequest, ReadyEvent> = {
  fill(action, facts) {
    const user = UserId.safeParse(fillText(action.user_id, facts))
    if (!user.success) throw new UnfilledError('`user_id` must be one line of 1 to 255 characters.')
    const title = cut(fillText(action.title, facts).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), longest.title)
    if (title.trim() === '') throw new UnfilledError('`title` is empty.')
    const data = Object.entries(action.data).map(([name, text]) => [name, cut(fillText(text, facts), longest.value)])
    return {
      ...{ workflow: action.workflow, user_id: user.data, title },
      body: action.body === null ? null : cut(fillText(action.body, facts), longest.body) || null,
      url: action.url === null ? null : linkOf(fillText(action.url, facts)),
      data: Object.fromEntries(data),
      email: action.email === null ? null : addressOf(fillText(action.email, facts).trim()),
    }
  },

  async prepare(db, filled) {
    const found = await versions.findPublished(
      db,
      filled.map(({ run, request }) => ({ org_id: run.org_id, key: request.workflow })),
    )
    const published = new Map(found.map((version) => [`${version.org_id} ${version.key}`, version]))
    return filled.map((one) => {
      const { run, request } = one
      const version = published.get(`${run.org_id} ${request.workflow}`)
      if (version) return { event: toEvent(one, version), isTest: run.sandbox }
      const message = `The workflow ${request.workflow} does not exist or is not published. Publish it, then retry the run.`
      return { code: 'workflow_not_published', message }
    })
  },

  async perform(tx, ready) {
    const [tests, live] = [ready.filter(({ isTest }) => isTest), ready.filter(({ isTest }) => !isTest)]
    await recordEvents(
      tx,
      live.map(({ event }) => event),
    )
    await recordTestEvents(
      tx,
      tests.map(({ event }) => event),
    )
    return ready.map(({ event }) => ({ resultId: event.id }))
  },
}

function addressOf(text: string): string {
  if (!Address.safeParse(text).success)
    throw new UnfilledError(`The recipient, ${text.slice(0, 200)}, is not an email address.`)
  return toStoredForm(text)
}

function linkOf(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (!['https:', 'http:'].includes(protocol) || text.length > longest.url)
    throw new UnfilledError(`\`url\` must be a URL of up to ${longest.url} characters, such as https://example.com.`)
  return text
}

const cut = (text: string, most: number): string => [...text.slice(0, 2 * most)].slice(0, most).join('')

function toEvent({ run, rule, request }: FilledRun<WorkflowRequest>, { product_key, type }: versions.Version) {
  const { user_id, title, body, url, data, email } = request
  const personId = getPersonId(user_id)
  return {
    ...events.fill({
      ...{ org_id: run.org_id, key_id: rule.key_id, user_id: personId, subject: personId === user_id ? null : user_id },
      ...{ product_key, type, title, body, url, data },
    }),
    id: newId(),
    channels: undefined,
    email: email === null ? undefined : { to: email, isContact: false, from: undefined },
    push: undefined,
    fromDomains: undefined,
    appLock: undefined,
  }
}
