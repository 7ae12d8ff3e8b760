import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as connections from '#sql/notify/connections.ts'
import type * as events from '#sql/notify/events.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import * as users from '#sql/notify/users.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { type ChannelChoice, chooseChannels, listChannelUses } from './choose-channels.ts'

export interface EventRequest extends events.GivenEvent {
  /** ID of the new event. Default: a new ID. */
  id?: string | undefined
  /** Channels that replace the person’s preferences. */
  channels: readonly preferences.Channel[] | undefined
  email: { to: string; isContact: boolean; from: string | undefined } | undefined
  /** App in which the person’s devices are registered. */
  push: { appId: string } | undefined
  /** Domains to which the key is locked. */
  fromDomains: readonly string[] | undefined
  /** Push app to which the key is locked. */
  appLock: string | undefined
}

export interface AddressedEvent extends EventRequest {
  /** `isKnown`: the email address is from the directory. */
  email: (NonNullable<EventRequest['email']> & { isKnown?: boolean }) | undefined
  push: { appId: string; userId?: string } | undefined
  phone?: string | undefined
  /** IDs of the person's connections to chat services, by channel. */
  chats?: Readonly<Partial<Record<connections.ChatChannel, string>>> | undefined
}

export interface EventDraft {
  row: events.NewEvent
  choice: ChannelChoice
  wanted: AddressedEvent
  known: people.Person | undefined
  workflow: versions.Version | undefined
}

/** True if a workflow collects the events of a window. */
export const collectsEvents = ({ steps }: versions.Version): boolean => steps[0]?.type === 'digest'

/** Returns the person’s ID in the push app. */
export const getPushUserId = ({ push_user_id, subject }: people.Person): string => push_user_id ?? subject

/**
 * Selects the channels of events, or the workflow that they start. Events of test keys start no workflow. They use
 * neither the directory nor preferences, because both contain live data.
 */
export async function draftEvents(
  tx: Db,
  wanted: readonly EventRequest[],
  { isTest = false } = {},
): Promise<readonly EventDraft[]> {
  const unchosen = isTest ? [] : wanted.filter(({ channels }) => channels === undefined)
  const found = Map.groupBy(await preferences.findMany(tx, unchosen), (one) => groupOf(one))
  const triggered = await versions.findTriggered(tx, unchosen)
  const started = new Map(triggered.map((version) => [triggerOf(version), version]))
  const chosen = wanted.map((one) => {
    const workflow = one.channels === undefined ? started.get(triggerOf(one)) : undefined
    const held = (found.get(groupOf(one)) ?? []).filter(({ type }) => type === one.type || type === preferences.anyType)
    return { one, workflow, choice: chooseChannels({ own: one.channels, hasWorkflow: workflow !== undefined }, held) }
  })
  const knownOf = await lookUpPeople(
    tx,
    chosen.flatMap(({ one, workflow, choice }) =>
      !isTest && (workflow || choice.digest || lacksAddress(one, choice)) ? [one] : [],
    ),
  )
  const chatsOf = await findChats(
    tx,
    chosen.flatMap(({ one, choice }) => ({ one, channels: choice.channels, person: knownOf(one) })),
    isTest,
  )
  return chosen.map(({ one, workflow, choice }) => {
    const known = knownOf(one)
    const addressed: AddressedEvent = workflow ? one : { ...withAddresses(one, known), chats: chatsOf.get(one) }
    const { channels: _, email, push, phone, chats: __, fromDomains, appLock, ...facts } = addressed
    const uses = listChannelUses(choice, (channel) => lackOf(channel, addressed))
    // If an event joins a run of other events, its run is set later.
    const run_id = workflow && !collectsEvents(workflow) ? newId() : null
    const row = { ...facts, id: facts.id ?? newId(), chosen_by: choice.by, channels: [...uses], run_id }
    return { row, choice, wanted: addressed, known, workflow }
  })
}

const triggerOf = ({ org_id, product_key, type }: versions.Trigger) => JSON.stringify([org_id, product_key, type])

const lacksAddress = ({ email, push }: EventRequest, { channels }: ChannelChoice) =>
  (channels.includes('email') && !email) || (channels.includes('push') && !push) || channels.some(needsPerson)

/** True if the address of a channel is only in the directory. */
const needsPerson = (channel: preferences.Channel): boolean =>
  channel === 'whatsapp' || channel === 'sms' || connections.isChatChannel(channel)

interface ChatChoice {
  one: EventRequest
  channels: readonly preferences.Channel[]
  person: people.Person | undefined
}

/** Returns the connections for the selected chat services of each event. In tests, no connection is needed. */
async function findChats(tx: Db, chosen: readonly ChatChoice[], isTest: boolean) {
  const wanted = chosen
    .map(({ one, channels, person }) => ({
      ...{ one, kinds: channels.filter(connections.isChatChannel) },
      ...{ org_id: one.org_id, connection_ids: person?.connection_ids ?? [] },
    }))
    .filter(({ kinds }) => kinds.length > 0)
  const find = isTest ? () => 'test' : await connections.findForPeople(tx, wanted)
  return new Map(
    wanted.map((each) => [
      each.one,
      Object.fromEntries(
        each.kinds.flatMap((kind) => {
          const id = find(each, kind)
          return id === undefined ? [] : [[kind, id]]
        }),
      ) as AddressedEvent['chats'],
    ]),
  )
}

async function lookUpPeople(tx: Db, wanted: readonly EventRequest[]) {
  const found = new Map((await people.findMany(tx, wanted)).map((person) => [users.getPersonName(person), person]))
  return (one: EventRequest) => found.get(users.getPersonName(one))
}

function withAddresses(one: EventRequest, known: people.Person | undefined): AddressedEvent {
  const directoryEmail = known?.email
    ? { to: known.email, isContact: false, from: undefined, isKnown: true }
    : undefined
  const email = one.email ?? directoryEmail
  const isOpen = one.appLock === undefined || one.appLock === known?.push_app_id
  const itsApp = isOpen && known?.push_app_id ? { appId: known.push_app_id, userId: getPushUserId(known) } : undefined
  return { ...one, email, push: one.push ?? itsApp, phone: known?.phone ?? undefined }
}

const groupOf = ({ org_id, user_id, product_key }: Omit<preferences.PreferenceKey, 'type'>) =>
  JSON.stringify([org_id, user_id, product_key])

/** Returns why a selected channel cannot be used. `null` if it can be used. */
function lackOf(
  channel: preferences.Channel,
  { email, push, phone, chats }: AddressedEvent,
): events.ChannelUse['reason'] {
  if (channel === 'email') return email ? null : 'no_address'
  if (channel === 'whatsapp' || channel === 'sms') return phone ? null : 'no_phone'
  if (connections.isChatChannel(channel)) return chats?.[channel] === undefined ? 'no_connection' : null
  return channel === 'push' && !push ? 'no_app' : null
}
