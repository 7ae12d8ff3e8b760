import type { z } from 'zod'
import { account, webhooks } from './events/account.ts'
import { email } from './events/email.ts'
import { files } from './events/files.ts'
import type { EventKind } from './events/kind.ts'
import { bots, erp, guard, identity, trust, wiki } from './events/knowledge.ts'
import { push } from './events/push.ts'
import { notify, voice, whatsapp } from './events/talk.ts'
import { video } from './events/video.ts'

/** Every type of events, with what it tells. */
const declared = {
  ...account,
  ...bots,
  ...email,
  ...erp,
  ...files,
  ...guard,
  ...identity,
  ...notify,
  ...push,
  ...trust,
  ...video,
  ...voice,
  ...webhooks,
  ...whatsapp,
  ...wiki,
}

type Declared = typeof declared

/** A type of events. */
export type EventType = keyof Declared

/** What an event of a type says. */
export type EventData<Type extends EventType> = z.input<Declared[Type]['data']>

/** Every type of events, with what it tells. */
export const eventKinds: Readonly<Record<EventType, EventKind>> = declared

/** The names of all types, sorted. */
export const allTypes = Object.keys(declared).sort() as EventType[]

export const isEventType = (type: string): type is EventType => Object.hasOwn(declared, type)

const of = <Prefix extends string>(prefix: Prefix, kinds: object) => ({ prefix, types: Object.keys(kinds) })

/** The areas that have endpoints of their own, and the types that these are told of. */
export const eventTypes = {
  email: of('email.', email),
  stream: of('video.', video),
  push: of('push.', push),
  files: of('files.', files),
}

/** An area that has endpoints of its own. */
export type WebhookArea = keyof typeof eventTypes

const areas = Object.keys(eventTypes) as WebhookArea[]

/** The area whose own endpoints are told of a type; null when only the organisation's are. */
export const areaOf = (type: string): WebhookArea | null =>
  areas.find((name) => type.startsWith(eventTypes[name].prefix)) ?? null

/** What can be asked for beside single types: `*`, and everything that begins with a name, as `email.*` and `video.room.*`. */
export const typePatterns: ReadonlySet<string> = new Set([
  '*',
  ...allTypes.flatMap((type) => {
    const names = type.split('.')
    return names.slice(0, -1).map((_, i) => `${names.slice(0, i + 1).join('.')}.*`)
  }),
])
