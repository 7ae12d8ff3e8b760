import { subscribe } from 'node:diagnostics_channel'
import { type EmittedEvent, emitted } from '#tasks/webhooks/rules/emit.ts'
import { eventKinds } from '#tasks/webhooks/rules/event-types.ts'

const made = new WeakSet<object>()

/** An event of a type whose data only a test has made up: it is not held against the type's schema. */
export function madeUp(orgId: string, type: string, data: Record<string, unknown>): EmittedEvent {
  const event = { orgId, type, data } as unknown as EmittedEvent
  made.add(event)
  return event
}

const heard = new Map<string, EmittedEvent[]>()

/** What this process has told an organisation's webhooks, subscribed or not. */
export const emittedTo = (orgId: string): readonly EmittedEvent[] => heard.get(orgId) ?? []

/** Every event that a test's own process tells is held against its type's schema; a fault ends the test's process. */
subscribe(emitted.name as string, (told) => {
  for (const event of told as EmittedEvent[]) {
    if (made.has(event)) continue
    const parsed = eventKinds[event.type].data.safeParse(JSON.parse(JSON.stringify(event.data)))
    if (!parsed.success) throw new Error(`An event is not as its type says, ${event.type}: ${parsed.error.message}`)
    heard.set(event.orgId, [...emittedTo(event.orgId), event])
  }
})
