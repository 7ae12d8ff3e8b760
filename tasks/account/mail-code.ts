import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { makeSecret } from '#lib/tokens.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as members from '#sql/account/people/members.ts'
import { task } from '../queue/task.ts'
import { platformSender, sendPlatformMail } from './rules/platform-mail.ts'

/**
 * Sends a sign-in code to the email address of a member. A job is added for every address, so that neither the response
 * nor its timing reveals known addresses.
 */
export const mailCode = task({
  name: 'account/mail-code',
  pool: 'mail-transactional',
  payload: z.object({ ceremonyId: Id }),
  async run({ ceremonyId }, { db, secret }) {
    const sender = await platformSender(db, secret)
    await db.transaction(async (tx) => {
      const ceremony = await ceremonies.lockUnsent(tx, ceremonyId)
      if (!ceremony?.email || !ceremony.user_id) return
      if ((await members.listOf(tx, ceremony.user_id)).every(({ sso_required }) => sso_required)) return
      const [code, token] = [String(randomInt(1_000_000)).padStart(6, '0'), makeSecret()]
      await ceremonies.setCode(tx, ceremonyId, { code, token })
      await sendPlatformMail(tx, sender, { to: ceremony.email, ...letter(code, token) })
    })
  },
})

const letter = (code: string, token: string) => ({
  subject: `${code} is your sign-in code for Millrace`,
  text: `Your sign-in code is ${code}. Enter this code on the Millrace sign-in page at ${appUrl()}/app.

Or open this link in the browser where you started to sign in:
${appUrl()}/app/sign-in/link/${token}

The link and the code work once and expire in ${ceremonies.ceremonyMinutes} minutes. If you did not request them, ignore this email.
Never share the code.
`,
})
