import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as members from '#sql/account/people/members.ts'
import { task } from '../queue/task.ts'
import { oneLine, renderLetter } from './rules/letter.ts'
import { platformSender, sendPlatformMails } from './rules/platform-mail.ts'

const Occasion = z.enum(['closed', 'reminder', 'reopened'])

/** Notifies all owners that the organisation was closed or reopened, or that its data will be deleted soon. */
export const mailClosure = task({
  name: 'account/mail-closure',
  pool: 'mail-transactional',
  payload: z.object({ closureId: Id, occasion: Occasion }),
  attempts: 12,
  async run({ closureId, occasion }, { db, secret, own, log }) {
    const closure = await closures.findTold(db, closureId)
    if (!closure || closure.state !== (occasion === 'reopened' ? 'cancelled' : 'waiting')) return
    const people = await members.ownersOf(db, closure.org_id)
    if (people.length === 0) return
    const sender = await platformSender(db, secret)
    const letter = letters[occasion]({ ...closure, name: oneLine(closure.name), by: closure.by && oneLine(closure.by) })
    const refused = await own((tx) =>
      sendPlatformMails(
        tx,
        sender,
        people.map((to) => ({ to, ...letter })),
      ),
    )
    for (const why of refused)
      log.warn({ org_id: closure.org_id, why }, 'a closure email to an owner could not be sent')
    if (refused.length === people.length) throw new Permanent(`The platform email was rejected: ${refused[0]}`)
  },
})

type Told = NonNullable<Awaited<ReturnType<typeof closures.findTold>>>

const why = 'You receive this email because you are an owner of the organisation.'
const utc = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const reopening = {
  words: 'An owner can export the data or reopen the organisation until then:',
  button: 'Export or reopen',
  url: `${appUrl()}/app/leaving`,
} as const

const letters: Record<z.infer<typeof Occasion>, (told: Told) => ReturnType<typeof renderLetter>> = {
  closed: ({ name, due_at, by }) =>
    renderLetter({
      subject: `${name} is closed. Its data will be deleted on ${due_at.toISOString().slice(0, 10)}`,
      title: `${name} is closed`,
      organisation: name,
      parts: [
        `${by ?? 'An operator'} closed ${name}. API keys are rejected and nothing is sent. Broadcasts, rooms and calls have ended. Only owners can sign in.`,
        `All data will be deleted permanently on ${utc(due_at)}.`,
        reopening,
      ],
      why,
    }),
  reminder: ({ name, due_at }) =>
    renderLetter({
      subject: `The data of ${name} will be deleted on ${due_at.toISOString().slice(0, 10)}`,
      title: `The data of ${name} will be deleted soon`,
      organisation: name,
      parts: [
        `${name} is closed. All its data will be deleted permanently on ${utc(due_at)}. This cannot be undone.`,
        reopening,
      ],
      why,
    }),
  reopened: ({ name }) =>
    renderLetter({
      subject: `${name} is open again`,
      title: `${name} is open again`,
      organisation: name,
      parts: [
        `The closure of ${name} was cancelled. API keys, email and webhooks work again. Broadcasts, rooms and calls that ended stay ended.`,
        { words: 'Dashboard:', button: 'Open the dashboard', url: `${appUrl()}/app` },
      ],
      why,
    }),
}
