import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import * as alerts from '#sql/account/usage/budget-alerts.ts'
import { Period } from '#sql/account/usage/budgets.ts'
import { task } from '../queue/task.ts'
import { oneLine, renderLetter } from './rules/letter.ts'
import { platformSender, sendPlatformMails } from './rules/platform-mail.ts'

export const mailThreshold = task({
  name: 'account/mail-threshold',
  pool: 'mail-transactional',
  payload: z.object({ orgId: Id, metric: z.string(), period: Period, startsOn: z.string(), percent: z.int() }),
  attempts: 12,
  async run({ orgId, metric, period, startsOn, percent }, { db, secret, own, log }) {
    const alert = await alerts.find(db, { org_id: orgId, metric, period, starts_on: startsOn, percent })
    const people = await members.ownersOf(db, orgId)
    if (!alert || people.length === 0) return
    const sender = await platformSender(db, secret)
    const org = await orgs.find(db, orgId)
    const mails = people.map((to) => ({ to, ...letter(alert, oneLine(org?.name ?? '')) }))
    const refused = await own((tx) => sendPlatformMails(tx, sender, mails))
    for (const why of refused) log.warn({ org_id: orgId, why }, 'a threshold email to an owner could not be sent')
    if (refused.length === mails.length) throw new Permanent(`The platform email was rejected: ${refused[0]}`)
  },
})

const letter = ({ metric, percent, used, limit, period, starts_on }: alerts.Alert, name: string) =>
  renderLetter({
    subject: `You have used ${percent} % of your ${metric}`,
    title: `${percent} % of ${metric} used`,
    organisation: name,
    parts: [
      `Your organisation has used ${used} of ${limit} (${metric}) in the ${period} that started on ${starts_on} (UTC).`,
      'Usage above your plan limit or your hard limit is rejected. A soft limit only sends alerts.',
      { words: 'Usage and budgets:', button: 'Show usage', url: `${appUrl()}/app/usage/${metric}` },
    ],
    why: 'You receive this email because you are an owner of the organisation.',
  })
