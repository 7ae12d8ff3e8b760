import { log } from '#lib/log.ts'
import type { AddressGuard } from '#lib/network/address-guard.ts'
import type { Seal } from '#lib/seal.ts'
import type { Target } from '#sql/live/restream-queries.ts'
import type { RestreamTargets } from '#tasks/live/engine.ts'
import type { Message } from '../rtmp/chunks.ts'
import { type Headers, RestreamedTarget } from './target.ts'

export interface TargetSetTools {
  targets: RestreamTargets
  guard: AddressGuard
  seal: Seal
}

/** Time without data in milliseconds after which the publisher counts as disconnected. */
const awayMs = 3_000

export class TargetSet {
  readonly #tools: TargetSetTools
  readonly #source: () => { headers: Headers; quietFor: number }
  readonly #targets = new Map<string, RestreamedTarget>()

  constructor(tools: TargetSetTools, source: () => { headers: Headers; quietFor: number }) {
    this.#tools = tools
    this.#source = source
  }

  keep(wanted: readonly Target[]): void {
    const { guard, seal } = this.#tools
    for (const [id, target] of this.#targets) {
      if (wanted.some((one) => isSame(one, target.facts))) continue
      target.close()
      this.#targets.delete(id)
    }
    for (const one of wanted) {
      if (this.#targets.has(one.id)) continue
      const key = seal.open(one.stream_key, one.id)
      this.#targets.set(one.id, new RestreamedTarget(one, { guard, key, headers: () => this.#source().headers }))
    }
  }

  push(tag: Message): void {
    for (const target of this.#targets.values()) target.push(tag)
  }

  async tell(): Promise<void> {
    for (const target of this.#targets.values()) {
      if (this.#source().quietFor > awayMs) target.rest()
      if (target.isWritten) continue
      target.isWritten = true
      await this.#tools.targets.tell(target.facts, target.told).catch((error: Error) => {
        target.isWritten = false
        log.warn({ err: error }, 'the state of a restream target could not be stored')
      })
    }
  }

  close(): void {
    for (const target of this.#targets.values()) target.close()
    this.#targets.clear()
  }
}

const isSame = (one: Target, other: Target) =>
  one.id === other.id && one.url === other.url && one.stream_key === other.stream_key
