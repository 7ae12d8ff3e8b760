import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { makeSecret } from '#lib/tokens.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as members from '#sql/account/people/members.ts'
import { task } from '../queue/task.ts'
import { renderLetter } from './rules/letter.ts'
import { platformSender, sendPlatformMail } from './rules/platform-mail.ts'

/**
 * Sends a code for a sign-in or a confirmation to the email address of a member. A job is added for every address, so that neither the response
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
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const token = ceremony.kind === 'mail' ? makeSecret() : null
      await ceremonies.setCode(tx, ceremonyId, { code, token })
      await sendPlatformMail(tx, sender, { to: ceremony.email, ...letter(code, token) })
    })
  },
})

const letter = (code: string, token: string | null) => (token === null ? confirmation(code) : signIn(code, token))

const signIn = (code: string, token: string) =>
  renderLetter({
    subject: `${code} is your sign-in code for Millrace`,
    title: 'Sign in to Millrace',
    parts: [
      { words: 'Your sign-in code is', code },
      `Enter this code on the Millrace sign-in page at ${appUrl()}/app.`,
      {
        words: 'Or open this link in the browser where you started to sign in:',
        button: 'Sign in',
        url: `${appUrl()}/app/sign-in/link/${token}`,
      },
      `The link and the code work once and expire in ${ceremonies.ceremonyMinutes} minutes. Never share the code.`,
    ],
    why: 'If you did not request this email, ignore it.',
  })

const confirmation = (code: string) =>
  renderLetter({
    subject: `${code} is your confirmation code for Millrace`,
    title: 'Confirm your identity',
    parts: [
      { words: 'Your confirmation code is', code },
      `Enter this code on the page where you requested it. The code works once and expires in ${ceremonies.ceremonyMinutes} minutes. Never share the code.`,
    ],
    why: `If you did not request this email, someone else uses your session. Sign out of all sessions at ${appUrl()}/app/you.`,
  })
