import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as alerts from '#sql/account/budget-alerts.ts'
import { Period } from '#sql/account/budgets.ts'
import * as members from '#sql/account/members.ts'
import { task } from '../queue/task.ts'
import { platformSender, sendPlatformMail } from './rules/platform-mail.ts'

/** Mails the owners of an organisation that a threshold of a limit is reached. */
export const mailThreshold = task({
  name: 'account/mail-threshold',
  pool: 'mail-transactional',
  payload: z.object({ orgId: Id, metric: z.string(), period: Period, startsOn: z.string(), percent: z.int() }),
  attempts: 12,
  async run({ orgId, metric, period, startsOn, percent }, { db, secret, own }) {
    const alert = await alerts.find(db, { org_id: orgId, metric, period, starts_on: startsOn, percent })
    const people = (await members.list(db, orgId, { limit: 100, before: undefined })).filter(
      (one) => one.role === 'owner' && one.disabled_at === null,
    )
    if (!alert || people.length === 0) return
    const sender = await platformSender(db, secret)
    await own(async (tx) => {
      for (const { email } of people) await sendPlatformMail(tx, sender, { to: email, ...letter(alert) })
    })
  },
})

const letter = ({ metric, percent, used, limit, period, starts_on }: alerts.Alert) => ({
  subject: `${percent} % of your ${metric} are used`,
  text: `Your organisation has used ${used} of ${limit} (${metric}) of the ${period} that began on ${starts_on}, in UTC.

What the plan or your own hard limit does not allow is refused; a soft limit only tells.
`,
})
