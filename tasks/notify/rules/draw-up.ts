import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type * as events from '#sql/notify/events.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import * as users from '#sql/notify/users.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { type Choice, choose, usesOf } from './choose-channels.ts'

/** An event as it is wanted, with what its copies need. */
export interface EventRequest extends Omit<events.NewEvent, 'id' | 'chosen_by' | 'channels' | 'run_id'> {
  /** In place of what the person prefers. */
  channels: readonly preferences.Channel[] | undefined
  email: { to: string; isContact: boolean; from: string | undefined } | undefined
  /** The app whose devices of the person are pushed to. */
  push: { appId: string } | undefined
  /** Domains that the key is locked to. */
  fromDomains: readonly string[] | undefined
  /** The app of the push area that the key is locked to. */
  appLock: string | undefined
}

/** An event with all that is known of where to. */
export interface AddressedEvent extends EventRequest {
  /** `isKnown`: the address is that of the directory. */
  email: (NonNullable<EventRequest['email']> & { isKnown?: boolean }) | undefined
  push: { appId: string; userId?: string } | undefined
  phone?: string | undefined
}

/** An event that is new, as far as is known before it is kept. */
export interface Draft {
  row: events.NewEvent
  choice: Choice
  wanted: AddressedEvent
  /** Whom it is for, as far as the directory knows. */
  known: people.Person | undefined
  /** The workflow that it starts. */
  workflow: versions.Version | undefined
}

/** Whether events of a workflow's window go through it as one. */
export const gathers = ({ steps }: versions.Version): boolean => steps[0]?.type === 'digest'

/** What the app of a person knows the person by. */
export const pushUserOf = ({ push_user_id, subject }: people.Person): string => push_user_id ?? subject

/**
 * Chooses the channels of events, or has the workflow do it that they start. Events of test keys start none, and read neither the
 * directory of people nor preferences: both are live.
 */
export async function drawUp(
  tx: Db,
  wanted: readonly EventRequest[],
  { isTest = false } = {},
): Promise<readonly Draft[]> {
  const unchosen = isTest ? [] : wanted.filter(({ channels }) => channels === undefined)
  const found = Map.groupBy(await preferences.findMany(tx, unchosen), (one) => groupOf(one))
  const triggered = await versions.findTriggered(tx, unchosen)
  const started = new Map(triggered.map((version) => [triggerOf(version), version]))
  const chosen = wanted.map((one) => {
    const workflow = one.channels === undefined ? started.get(triggerOf(one)) : undefined
    const held = (found.get(groupOf(one)) ?? []).filter(({ type }) => type === one.type || type === preferences.anyType)
    return { one, workflow, choice: choose({ own: one.channels, hasWorkflow: workflow !== undefined }, held) }
  })
  const knownOf = await lookUpPeople(
    tx,
    chosen.flatMap(({ one, workflow, choice }) =>
      !isTest && (workflow || choice.digest || lacksAddress(one, choice)) ? [one] : [],
    ),
  )
  return chosen.map(({ one, workflow, choice }) => {
    const known = knownOf(one)
    const addressed: AddressedEvent = workflow ? one : withAddresses(one, known)
    const { channels: _, email, push, phone, fromDomains, appLock, ...facts } = addressed
    const uses = usesOf(choice, (channel) => lackOf(channel, addressed))
    // The run of one that joins others is known later.
    const run_id = workflow && !gathers(workflow) ? newId() : null
    const row = { ...facts, id: newId(), chosen_by: choice.by, channels: [...uses], run_id }
    return { row, choice, wanted: addressed, known, workflow }
  })
}

const triggerOf = ({ org_id, product_key, type }: versions.Trigger) => JSON.stringify([org_id, product_key, type])

const lacksAddress = ({ email, push }: EventRequest, { channels }: Choice) =>
  (channels.includes('email') && !email) || (channels.includes('push') && !push) || channels.includes('whatsapp')

async function lookUpPeople(tx: Db, wanted: readonly EventRequest[]) {
  const found = new Map((await people.findMany(tx, wanted)).map((person) => [users.nameOf(person), person]))
  return (one: EventRequest) => found.get(users.nameOf(one))
}

/** An event with what the directory knows in place of what it does not say. */
function withAddresses(one: EventRequest, known: people.Person | undefined): AddressedEvent {
  const directoryEmail = known?.email
    ? { to: known.email, isContact: false, from: undefined, isKnown: true }
    : undefined
  const email = one.email ?? directoryEmail
  const isOpen = one.appLock === undefined || one.appLock === known?.push_app_id
  const itsApp = isOpen && known?.push_app_id ? { appId: known.push_app_id, userId: pushUserOf(known) } : undefined
  return { ...one, email, push: one.push ?? itsApp, phone: known?.phone ?? undefined }
}

const groupOf = ({ org_id, user_id, product_key }: Omit<preferences.PreferenceKey, 'type'>) =>
  JSON.stringify([org_id, user_id, product_key])

/** Why a chosen channel cannot be used; null when it can. */
function lackOf(channel: preferences.Channel, { email, push, phone }: AddressedEvent): events.ChannelUse['reason'] {
  if (channel === 'email') return email ? null : 'no_address'
  if (channel === 'whatsapp') return phone ? null : 'no_phone'
  return channel === 'push' && !push ? 'no_app' : null
}
