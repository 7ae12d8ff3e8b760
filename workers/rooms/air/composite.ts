import { log } from '#lib/log.ts'
import { type Compositor, type CompositorOptions, startCompositor } from '../compositor/index.ts'
import type { FrameSize } from '../compositor/picture-size.ts'
import type { Room } from '../gateway/room.ts'
import type { OnStage } from '../gateway/stage.ts'

export type CompositeOptions = Omit<CompositorOptions, 'slots' | 'title' | 'onRefused'>

const mostShown = 16

interface Tile {
  slot: number
  /** Identifies the forwarded media. If the value changes, forwarding restarts. */
  what: string
  stop(): Promise<void>
}

/** A compositor that follows a room. A participant gets a slot when they publish and releases it when they stop. */
export class Composite {
  readonly #room: Room
  readonly #compositor: Compositor
  readonly #tiles = new Map<string, Tile>()

  private constructor(room: Room, compositor: Compositor) {
    this.#room = room
    this.#compositor = compositor
  }

  static async start(room: Room, options: CompositeOptions): Promise<Composite> {
    const slots = Math.min(mostShown, room.maxParticipants)
    let refuse: CompositorOptions['onRefused']
    const onRefused: CompositorOptions['onRefused'] = (slot, size) => refuse?.(slot, size)
    const composite = new Composite(room, await startCompositor({ ...options, title: room.name, slots, onRefused }))
    refuse = (slot, size) => composite.#refuse(slot, size)
    return composite
  }

  /** Resolves when the compositor has ended, even if its output failed. */
  get ended(): Compositor['ended'] {
    return this.#compositor.ended
  }

  async follow(): Promise<void> {
    const stage = new Map(this.#room.stage.map((person) => [keyOf(person), person]))
    for (const [id, tile] of [...this.#tiles]) {
      const person = stage.get(id)
      if (!person || whatOf(person) !== tile.what) await this.#take(id, tile)
    }
    for (const [key, person] of stage) if (!this.#tiles.has(key)) await this.#give(person)
    this.#compositor.setMain(this.#tiles.get(this.#main(stage) ?? '')?.slot)
  }

  /**
   * Returns the participant who is shown large: the last speaker, or the participant who shares a screen. Returns
   * undefined in a grid, or if there is none.
   */
  #main(stage: ReadonlyMap<string, OnStage>): string | undefined {
    const { layout, speaker } = this.#room
    if (layout === 'speaker') return speaker !== undefined && stage.has(speaker) ? speaker : [...stage.keys()][0]
    if (layout !== 'screen') return undefined
    return [...stage].find(([, { video }]) => video === 'screen')?.[0]
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#tiles].map(([id, tile]) => this.#take(id, tile)))
    await this.#compositor.stop()
  }

  async #give(person: OnStage): Promise<void> {
    const taken = new Set([...this.#tiles.values()].map(({ slot }) => slot))
    const slot = this.#compositor.slots.find(({ index }) => !taken.has(index))
    if (!slot) return
    const { participantId, name, isBeside } = person
    const key = keyOf(person)
    const tile: Tile = { slot: slot.index, what: whatOf(person), stop: async () => {} }
    this.#tiles.set(key, tile)
    try {
      tile.stop = await this.#room.forward(participantId, slot, isBeside)
      this.#compositor.setName(slot.index, name)
    } catch (error) {
      this.#tiles.delete(key)
      // The participant has just left, or the next check retries.
      log.debug({ err: error, room: this.#room.id }, 'a participant could not be shown')
    }
  }

  #refuse(slot: number, size: FrameSize | undefined): void {
    for (const [id, tile] of this.#tiles)
      if (tile.slot === slot) this.#room.members.get(ownerOf(id))?.tellTooLarge(size)
  }

  async #take(id: string, { slot, stop }: Tile): Promise<void> {
    this.#tiles.delete(id)
    this.#compositor.setName(slot, undefined)
    await stop().catch((error) => log.debug({ err: error, room: this.#room.id }, 'a forwarder had already ended'))
  }
}

const besideMark = ' camera'
const keyOf = ({ participantId, isBeside }: OnStage): string => participantId + (isBeside ? besideMark : '')
const ownerOf = (key: string): string => key.replace(besideMark, '')

const whatOf = ({ feed, audio, video }: OnStage): string => `${feed} ${audio} ${video}`
