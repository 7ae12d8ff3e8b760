import { subscribe } from 'node:diagnostics_channel'
import { type EmittedEvent, emitted } from '#tasks/webhooks/rules/emit.ts'
import { eventKinds } from '#tasks/webhooks/rules/event-types.ts'

const made = new WeakSet<object>()

/** An event with invented data that is not validated against the type’s schema. */
export function madeUp(orgId: string, type: string, data: Record<string, unknown>): EmittedEvent {
  const event = { orgId, type, data } as unknown as EmittedEvent
  made.add(event)
  return event
}

const heard = new Map<string, EmittedEvent[]>()

/** Returns the events for an organisation’s webhooks in this process, also without a subscription. */
export const emittedTo = (orgId: string): readonly EmittedEvent[] => heard.get(orgId) ?? []

/** Validates every event of the test’s process against its type’s schema. A fault ends the process. */
subscribe(emitted.name as string, (told) => {
  for (const event of told as EmittedEvent[]) {
    if (made.has(event)) continue
    const parsed = eventKinds[event.type].data.safeParse(JSON.parse(JSON.stringify(event.data)))
    if (!parsed.success) throw new Error(`An event is not as its type says, ${event.type}: ${parsed.error.message}`)
    heard.set(event.orgId, [...emittedTo(event.orgId), event])
  }
})
