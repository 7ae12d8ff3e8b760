import { emitted, type EmittedEvent } from '#tasks/webhooks/rules/emit.ts'
import { eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import type { Scope } from './postgres.ts'

/** Hears what this process tells webhooks until the test ends, each as JSON has it and parsed by its type's schema. */
export function hearEmitted(t: Scope): { events: EmittedEvent[]; faults: string[] } {
  const heard = { events: [] as EmittedEvent[], faults: [] as string[] }
  const hear = (told: unknown) => {
    for (const event of told as EmittedEvent[]) {
      heard.events.push(event)
      const parsed = eventKinds[event.type].data.safeParse(JSON.parse(JSON.stringify(event.data)))
      if (!parsed.success) heard.faults.push(`${event.type}: ${parsed.error.message}`)
    }
  }
  emitted.subscribe(hear)
  t.teardown(async () => {
    emitted.unsubscribe(hear)
  })
  return heard
}
