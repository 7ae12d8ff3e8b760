import { z } from 'zod'
import { publicUrl, requireVariable } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as forms from '#sql/email/forms.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as signUps from '#sql/email/sign-ups.ts'
import { task } from '../queue/task.ts'
import { type AcceptResult, acceptMessages } from './rules/accept-messages.ts'
import { signUpMessage } from './rules/consent/sign-up-text.ts'
import { confirmUrl } from './rules/consent/unsubscribe-link.ts'

/** Maximum number of confirmation requests that forms send to an address within a day. */
const mostPerDay = 3

/** Sends the confirmation request of a sign-up, if the person can still subscribe. */
export const askSignUp = task({
  name: 'email/ask-sign-up',
  pool: 'core',
  payload: z.object({ signUpId: Id }),
  attempts: 8,
  async run({ signUpId }, { db }) {
    const secret = requireVariable('SIGNING_SECRET')
    await db.transaction(async (tx) => {
      const signUp = await signUps.lockWaiting(tx, signUpId)
      if (!signUp) return
      const form = await forms.findAny(tx, signUp.form_id)
      const result = form && (await ask(tx, signUp, form, secret))
      if (typeof result === 'object' && result && 'id' in result) await signUps.setAsked(tx, signUp.id, result.id)
      else await signUps.skip(tx, signUp.id, result ?? 'The form was deleted.')
    })
  },
})

/** Returns the message, or the reason why none is sent. */
async function ask(tx: Db, signUp: signUps.SignUp, form: forms.Form, secret: string): Promise<{ id: string } | string> {
  const { org_id, email, written } = signUp
  const { sandbox } = form
  if (!form.active) return 'The form is not active.'
  if (await closures.isClosed(tx, org_id)) return 'The organisation is closed.'
  if (sandbox && !(await sandboxes.lockContactRoom(tx, org_id, [email]))) return 'The sandbox is full of contacts.'
  const added = await contacts.insertUnconfirmed(tx, org_id, [{ email, written }], sandbox, true)
  const about = { org_id, kind: 'added' as const, source: 'form' as const, message_id: null, detail: form.name }
  await events.insertMany(
    tx,
    added.map((contact_id) => ({ ...about, contact_id })),
    sandbox,
  )
  // Other sign-ups of this address wait here, so that the count includes them.
  await details.lock(tx, org_id, email, sandbox)
  const recent = await signUps.countAsked(tx, signUp)
  if (recent.quarter > 0 || recent.day >= mostPerDay) return 'The address has recently received a confirmation request.'
  const [result] = await acceptMessages(tx, [
    {
      message: { org_id, key_id: form.key_id, sandbox, stream: 'repermission' },
      content: {},
      fromDomains: undefined,
      from: { email: form.from_email, name: form.from_name ?? undefined },
      to: email,
      ...signUpMessage(signUp),
      subject: form.subject,
      confirmUrl: (id) => confirmUrl(publicUrl(), id, secret),
      isRequested: true,
    },
  ])
  return outcomeOf(result)
}

function outcomeOf(result: AcceptResult | undefined): { id: string } | string {
  if (!result) return 'The message could not be created.'
  if ('message' in result) return { id: result.message.id }
  if ('refusal' in result) return result.refusal.message
  if ('faults' in result) return `The message could not be created: ${result.faults[0]?.issue ?? 'it is invalid'}.`
  return 'overCap' in result ? 'The plan’s messages for this month are used up.' : 'The sandbox is full of messages.'
}
