import { newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import { bounds, type Minute } from '#sql/account/usage/request-minutes.ts'
import type { Sample } from '../limits/requests.ts'

interface Entry extends Minute {
  changed: boolean
}

const minuteMs = 60_000

export class Minutes {
  readonly #process = newId()
  readonly #most: number
  readonly #entries = new Map<string, Entry>()

  constructor(most: number) {
    this.#most = most
  }

  count({ operation, status, seconds }: Sample, { org, key }: Caller, now = Date.now()): boolean {
    const minute = Math.floor(now / minuteMs)
    const group = Math.min(5, Math.max(1, Math.floor(status / 100)))
    const name = `${minute} ${key.id} ${group} ${operation}`
    const entry =
      this.#entries.get(name) ?? this.#add(name, { org_id: org.id, key_id: key.id, operation, class: group, minute })
    if (!entry) return false
    const ms = seconds * 1000
    let i = 0
    while (i < bounds.length && ms > (bounds[i] as number)) i++
    entry.buckets[i] = (entry.buckets[i] as number) + 1
    entry.count++
    entry.ms += ms
    entry.changed = true
    return true
  }

  #add(
    name: string,
    { minute, ...facts }: Pick<Minute, 'org_id' | 'key_id' | 'operation' | 'class'> & { minute: number },
  ) {
    if (this.#entries.size >= this.#most) return undefined
    const buckets = [...bounds, 0].map(() => 0)
    const at = new Date(minute * minuteMs)
    const entry: Entry = { ...facts, at, process: this.#process, count: 0, ms: 0, buckets, changed: true }
    this.#entries.set(name, entry)
    return entry
  }

  unwritten(limit: number): Minute[] {
    const found: Minute[] = []
    for (const entry of this.#entries.values()) {
      if (!entry.changed) continue
      const { changed: _, ...minute } = entry
      found.push({ ...minute, buckets: [...entry.buckets] })
      if (found.length === limit) break
    }
    return found
  }

  written(minutes: readonly Minute[], now = Date.now()): void {
    const counts = new Map(minutes.map((one) => [nameOf(one), one.count]))
    const current = Math.floor(now / minuteMs) * minuteMs
    for (const [name, entry] of this.#entries) {
      if (counts.get(name) === entry.count) entry.changed = false
      if (!entry.changed && entry.at.getTime() < current) this.#entries.delete(name)
    }
  }
}

const nameOf = (one: Minute) => `${one.at.getTime() / minuteMs} ${one.key_id} ${one.class} ${one.operation}`
