import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import { acceptMails } from './accept-mails.ts'
import type { Facts } from './conditions.ts'
import type { EventRequest } from './draw-up.ts'
import { dressMails } from './dress-mails.ts'
import { recordEvents } from './record-events.ts'

export interface TestText {
  event: EventRequest
  /** ID or alias of the email template. `null` for the text itself. */
  template: string | null
  /** Values for the template, in addition to those of the event. */
  facts: Facts
}

/**
 * Records the event of a test. Its email has the template of the text, as in a workflow, and is submitted in the
 * caller’s transaction. Returns the ID of the event.
 */
export async function sendTestText(tx: Db, { event: wanted, template, facts }: TestText): Promise<string> {
  const [recorded] = await recordEvents(tx, [wanted])
  if (!recorded) throw new Error('The event of the test was not recorded.')
  const { id } = recorded.event
  const mails = (await copies.lockWaiting(tx, { eventIds: [id] })).filter(({ channel }) => channel === 'email')
  const plain = mails.map((copy) => ({
    copies: [copy] as const,
    facts: { ...facts, title: copy.title, body: copy.body ?? '' },
    template,
  }))
  await acceptMails(tx, await dressMails(tx, plain))
  return id
}
