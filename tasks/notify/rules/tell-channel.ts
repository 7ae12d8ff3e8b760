import type { Db } from '#sql/db.ts'
import { isChatChannel } from '#sql/notify/connections.ts'
import type * as copies from '#sql/notify/copies.ts'
import type { Channel } from '#sql/notify/preferences.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import type { ChannelStep } from '#sql/notify/workflow-steps.ts'
import { submitChats } from './accept-chats.ts'
import { type SendableCopy, submitMails } from './accept-mails.ts'
import { submitPushes } from './accept-pushes.ts'
import { submitSms } from './accept-sms.ts'
import { submitWhatsapps } from './accept-whatsapps.ts'
import type { Facts } from './conditions.ts'
import { getPushUserId } from './draw-up.ts'
import { dressMails, type PlainMail } from './dress-mails.ts'
import { placeInInboxes } from './place-in-inboxes.ts'
import type { StepContext } from './step-ground.ts'
import type { StepMessage } from './step-text.ts'
import { fillPlaceholders } from './text-placeholders.ts'

export interface ChannelMessage {
  step: ChannelStep
  run: DueRun
  ground: StepContext
  facts: Facts
  said: StepMessage
}

export type SubmitResult = Pick<copies.EndedCopy, 'status' | 'reason' | 'detail' | 'message_id'>

/** Recipient of a step on its channel, or the reason why there is none. */
export type StepRecipient =
  | Pick<SendableCopy, 'recipient' | 'recipient_user' | 'is_contact' | 'sender'>
  | { lacks: string }

const to = (recipient: string): StepRecipient => ({ recipient, recipient_user: null, is_contact: false, sender: null })

/** Returns the recipient of a run’s step: the recipient in the event, otherwise in the current directory. */
export function getStepRecipient(run: DueRun, ground: StepContext, channel: Channel): StepRecipient {
  const { person, connectionOf } = ground
  if (channel === 'in_app') return to('')
  if (channel === 'whatsapp' || channel === 'sms') return person?.phone ? to(person.phone) : { lacks: 'no_phone' }
  if (isChatChannel(channel)) {
    const connection = connectionOf(channel)
    return connection === undefined ? { lacks: 'no_connection' } : to(connection)
  }
  return channel === 'email' ? getEmailRecipient(run, ground) : getPushRecipient(run, ground)
}

function getEmailRecipient({ recipient: { email } }: DueRun, { person }: StepContext): StepRecipient {
  if (email) return { ...to(email.to), is_contact: email.isContact, sender: email.from ?? null }
  return person?.email ? to(person.email) : { lacks: 'no_address' }
}

function getPushRecipient({ recipient }: DueRun, { person }: StepContext): StepRecipient {
  if (recipient.push_app_id) return to(recipient.push_app_id)
  const isOpen = recipient.app_lock === undefined || recipient.app_lock === person?.push_app_id
  if (!person?.push_app_id || !isOpen) return { lacks: 'no_app' }
  return { ...to(person.push_app_id), recipient_user: getPushUserId(person) }
}

/**
 * Submits the messages of steps to the area of a channel, in the caller’s transaction. Returns the results in order.
 */
export async function submitToChannel(
  tx: Db,
  channel: Channel,
  tellings: readonly ChannelMessage[],
): Promise<readonly SubmitResult[]> {
  if (channel === 'in_app') return await putIntoInboxes(tx, tellings)
  const sent = tellings.map((telling) => copyOf(telling, channel))
  if (channel === 'push') return await submitPushes(tx, sent)
  if (channel === 'email')
    return await submitMails(
      tx,
      await dressMails(
        tx,
        sent.map((copy, i) => mailOf(copy, tellings[i] as ChannelMessage)),
      ),
    )
  if (channel === 'sms')
    return await submitSms(
      tx,
      sent.map((copy, i) => ({ ...copy, sms: tellings[i]?.said.sms })),
    )
  if (isChatChannel(channel)) return await submitChats(tx, sent)
  return await submitWhatsapps(
    tx,
    sent.map((copy, i) => ({ ...copy, template: templateOf(tellings[i] as ChannelMessage) })),
  )
}

/** The step’s template takes precedence over the template of the text. */
const mailOf = (copy: SendableCopy, { step, said, facts }: ChannelMessage): PlainMail => ({
  copies: [copy],
  facts: { ...facts, title: said.title, body: said.body ?? '' },
  template: step.template_id ?? said.text?.template_id,
})

async function putIntoInboxes(tx: Db, tellings: readonly ChannelMessage[]): Promise<readonly SubmitResult[]> {
  await placeInInboxes(
    tx,
    tellings.map(({ run: { event_id: id, org_id, user_id, product_key, title }, said, ground }) => {
      const { text, sms: _, ...shown } = said
      const isOwn = text === undefined && ground.gathered.count <= 1 && shown.title === title
      return { id, org_id, user_id, product_key, shown: isOwn ? null : shown }
    }),
  )
  return tellings.map(() => ({ status: 'accepted', reason: null, detail: null, message_id: null }))
}

function copyOf({ run, ground, said }: ChannelMessage, channel: Exclude<Channel, 'in_app'>): SendableCopy {
  const address = getStepRecipient(run, ground, channel)
  if ('lacks' in address) throw new Error('The step has no recipient address and should have been skipped.')
  const { event_id, org_id, key_id, user_id, subject, product_key, type, data } = run
  const { title, body, url } = said
  return {
    ...{ event_id, org_id, key_id, user_id, subject, product_key, type, data, title, body, url },
    ...address,
    channel,
    digest_id: null,
    person_id: run.person_id,
    from_domains: run.recipient.from_domains ?? null,
  }
}

function templateOf({ step, facts, said }: ChannelMessage) {
  if (!step.template) return undefined
  const { name, language, variables = [] } = step.template
  const known = { ...facts, title: said.title, body: said.body ?? '' }
  return { name, language, variables: variables.map((text) => fillPlaceholders('text', text, known, 1_024)) }
}
