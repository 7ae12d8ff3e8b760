import type { z } from 'zod'
import { account, webhooks } from './events/account.ts'
import { ai } from './events/ai.ts'
import { email } from './events/email.ts'
import { files } from './events/files.ts'
import { hooks } from './events/hooks.ts'
import { identity } from './events/identity.ts'
import { intake } from './events/intake.ts'
import type { EventKind } from './events/kind.ts'
import { bots, erp, guard, trust, wiki } from './events/knowledge.ts'
import { people } from './events/people.ts'
import { push } from './events/push.ts'
import { sms } from './events/sms.ts'
import { notify, voice, whatsapp } from './events/talk.ts'
import { verify } from './events/verify.ts'
import { video } from './events/video.ts'
import { work } from './events/work.ts'

const declared = {
  ...account,
  ...ai,
  ...bots,
  ...email,
  ...erp,
  ...files,
  ...guard,
  ...hooks,
  ...identity,
  ...intake,
  ...notify,
  ...people,
  ...push,
  ...trust,
  ...verify,
  ...video,
  ...voice,
  ...webhooks,
  ...whatsapp,
  ...sms,
  ...wiki,
  ...work,
}

type Declared = typeof declared

export type EventType = keyof Declared

export type EventData<Type extends EventType> = z.input<Declared[Type]['data']>

export const eventKinds: Readonly<Record<EventType, EventKind>> = declared

export const allTypes = Object.keys(declared).sort() as EventType[]

export const isEventType = (type: string): type is EventType => Object.hasOwn(declared, type)

const of = <Prefix extends string>(prefix: Prefix, kinds: object) => ({ prefix, types: Object.keys(kinds) })

/** Areas with their own endpoints. */
export const eventTypes = {
  email: of('email.', email),
  push: of('push.', push),
}

export type WebhookArea = keyof typeof eventTypes

const areas = Object.keys(eventTypes) as WebhookArea[]

/** Returns the area whose endpoints receive a type. Null if only endpoints for all areas receive it. */
export const getEventArea = (type: string): WebhookArea | null =>
  areas.find((name) => type.startsWith(eventTypes[name].prefix)) ?? null

/** Patterns: `*`, and every prefix, such as `email.*` and `video.room.*`. */
export const typePatterns: ReadonlySet<string> = new Set([
  '*',
  ...allTypes.flatMap((type) => {
    const names = type.split('.')
    return names.slice(0, -1).map((_, i) => `${names.slice(0, i + 1).join('.')}.*`)
  }),
])
