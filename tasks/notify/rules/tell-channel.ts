import type { Db } from '#sql/db.ts'
import type * as copies from '#sql/notify/copies.ts'
import type { Channel } from '#sql/notify/preferences.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import type { ChannelStep } from '#sql/notify/workflow-steps.ts'
import { mailOutcomes, type SendableCopy } from './accept-mails.ts'
import { pushOutcomes } from './accept-pushes.ts'
import { whatsappOutcomes } from './accept-whatsapps.ts'
import type { Facts } from './conditions.ts'
import { pushUserOf } from './draw-up.ts'
import { mailOf } from './mail-text.ts'
import { placeInInboxes } from './place-in-inboxes.ts'
import type { StepGround } from './step-ground.ts'
import type { Said } from './step-text.ts'
import { filledIn } from './text-placeholders.ts'

export interface Telling {
  step: ChannelStep
  run: DueRun
  ground: StepGround
  facts: Facts
  said: Said
}

export type Told = Pick<copies.EndedCopy, 'status' | 'reason' | 'detail' | 'message_id'>

/** Recipient of a step on its channel, or the reason why there is none. */
export type Address = Pick<SendableCopy, 'recipient' | 'recipient_user' | 'is_contact' | 'sender'> | { lacks: string }

const to = (recipient: string): Address => ({ recipient, recipient_user: null, is_contact: false, sender: null })

/** Returns the recipient of a run’s step: from its event, otherwise from the current directory. */
export function addressOf({ recipient }: DueRun, { person }: StepGround, channel: Channel): Address {
  if (channel === 'in_app') return to('')
  if (channel === 'whatsapp') return person?.phone ? to(person.phone) : { lacks: 'no_phone' }
  if (channel === 'email') {
    const { email } = recipient
    if (email) return { ...to(email.to), is_contact: email.isContact, sender: email.from ?? null }
    return person?.email ? to(person.email) : { lacks: 'no_address' }
  }
  if (recipient.push_app_id) return to(recipient.push_app_id)
  const isOpen = recipient.app_lock === undefined || recipient.app_lock === person?.push_app_id
  if (!person?.push_app_id || !isOpen) return { lacks: 'no_app' }
  return { ...to(person.push_app_id), recipient_user: pushUserOf(person) }
}

/**
 * Submits the messages of steps to the area of a channel, in the caller’s transaction. Returns the results in order.
 */
export async function tell(tx: Db, channel: Channel, tellings: readonly Telling[]): Promise<readonly Told[]> {
  if (channel === 'in_app') return await putIntoInboxes(tx, tellings)
  const sent = tellings.map((telling) => copyOf(telling, channel))
  if (channel === 'push') return await pushOutcomes(tx, sent)
  if (channel === 'email')
    return await mailOutcomes(
      tx,
      sent.map((copy) => ({ copies: [copy], ...mailOf([copy]) })),
    )
  return await whatsappOutcomes(
    tx,
    sent.map((copy, i) => ({ ...copy, template: templateOf(tellings[i] as Telling) })),
  )
}

async function putIntoInboxes(tx: Db, tellings: readonly Telling[]): Promise<readonly Told[]> {
  await placeInInboxes(
    tx,
    tellings.map(({ run: { event_id: id, org_id, user_id, product_key, title }, said, ground }) => {
      const { text, ...shown } = said
      const isOwn = text === undefined && ground.gathered.count <= 1 && shown.title === title
      return { id, org_id, user_id, product_key, shown: isOwn ? null : shown }
    }),
  )
  return tellings.map(() => ({ status: 'accepted', reason: null, detail: null, message_id: null }))
}

function copyOf({ run, ground, said }: Telling, channel: Exclude<Channel, 'in_app'>): SendableCopy {
  const address = addressOf(run, ground, channel)
  if ('lacks' in address) throw new Error('A step without an address must be skipped.')
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

function templateOf({ step, facts, said }: Telling) {
  if (!step.template) return undefined
  const { name, language, variables = [] } = step.template
  const known = { ...facts, title: said.title, body: said.body ?? '' }
  return { name, language, variables: variables.map((text) => filledIn('text', text, known, 1_024)) }
}
