import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import { periods } from '#sql/ai/key-limits.ts'
import { oneLine, renderLetter } from '../account/rules/letter.ts'
import { platformSender, sendPlatformMails } from '../account/rules/platform-mail.ts'
import { task } from '../queue/task.ts'

const Reached = z.object({
  orgId: Id,
  keyId: Id,
  name: z.string(),
  period: z.enum(periods),
  startsOn: z.string(),
  percent: z.int(),
  used: z.string(),
  budget: z.string(),
  currency: z.string(),
})

/** Sends an email to the owners when an API key has used a share of its AI budget. */
export const mailKeyThreshold = task({
  name: 'ai/mail-key-threshold',
  pool: 'mail-transactional',
  payload: Reached,
  attempts: 12,
  async run(reached, { db, secret, own, log }) {
    const people = await members.ownersOf(db, reached.orgId)
    const org = await orgs.find(db, reached.orgId)
    if (!org || people.length === 0) return
    const sender = await platformSender(db, secret)
    const mails = people.map((to) => ({ to, ...letter(reached, oneLine(org.name)) }))
    const refused = await own((tx) => sendPlatformMails(tx, sender, mails))
    for (const why of refused) log.warn({ org_id: org.id, why }, 'a threshold email to an owner could not be sent')
    if (refused.length === mails.length) throw new Permanent(`The platform email was rejected: ${refused[0]}`)
  },
})

const letter = (
  { keyId, name, percent, used, budget, currency, period, startsOn }: z.output<typeof Reached>,
  organisation: string,
) =>
  renderLetter({
    subject: `An API key has used ${percent} % of its AI budget`,
    title: `${percent} % of an AI budget used`,
    organisation,
    parts: [
      `The API key ${oneLine(name)} has used ${used} of ${budget} ${currency} in the ${period} that started on ${startsOn} (UTC).`,
      'When the budget has been used up, AI requests with this key are rejected until the next period.',
      { words: 'API key and budget:', button: 'Show API key', url: `${appUrl()}/app/keys/${keyId}` },
    ],
    why: 'You receive this email because you are an owner of the organisation.',
  })
