import { log } from '#lib/log.ts'
import { type Compositor, type CompositorOptions, startCompositor } from '../compositor/index.ts'
import type { PictureSize } from '../compositor/picture-size.ts'
import type { Room } from '../gateway/room.ts'
import type { OnStage } from '../gateway/stage.ts'

/** What a room's picture is made with. */
export type CompositeOptions = Omit<CompositorOptions, 'slots' | 'title' | 'onRefused'>

/** People who can be shown at once; who comes when all slots are taken waits for one. */
const mostShown = 16

/** A slot that shows somebody. */
interface Tile {
  slot: number
  /** What is forwarded; when it is another, it is forwarded anew. */
  what: string
  stop(): Promise<void>
}

/** A compositor that follows a room: who publishes gets a slot, and who stops gives it up. */
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

  /** How it ended; it ends by itself when its output fails. */
  get ended(): Compositor['ended'] {
    return this.#compositor.ended
  }

  /** Gives slots to those who publish now. */
  async follow(): Promise<void> {
    const stage = new Map(this.#room.stage.map((person) => [keyOf(person), person]))
    for (const [id, tile] of [...this.#tiles]) {
      const person = stage.get(id)
      if (!person || whatOf(person) !== tile.what) await this.#take(id, tile)
    }
    for (const [key, person] of stage) if (!this.#tiles.has(key)) await this.#give(person)
    this.#compositor.setMain(this.#tiles.get(this.#main(stage) ?? '')?.slot)
  }

  /** Who is shown large: who spoke last, or who shares their screen; nobody in a grid, and while nobody does. */
  #main(stage: ReadonlyMap<string, OnStage>): string | undefined {
    const { layout, speaker } = this.#room
    if (layout === 'speaker') return speaker !== undefined && stage.has(speaker) ? speaker : [...stage.keys()][0]
    if (layout !== 'screen') return undefined
    return [...stage].find(([, { video }]) => video === 'screen')?.[0]
  }

  /** Writes what is under way, and ends. */
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
      // They have just gone, or are tried again with the next look.
      log.debug({ err: error, room: this.#room.id }, 'a participant could not be shown')
    }
  }

  /** Tells whom a slot shows that their picture is too large. */
  #refuse(slot: number, size: PictureSize | undefined): void {
    for (const [id, tile] of this.#tiles)
      if (tile.slot === slot) this.#room.members.get(ownerOf(id))?.tellTooLarge(size)
  }

  async #take(id: string, { slot, stop }: Tile): Promise<void> {
    this.#tiles.delete(id)
    this.#compositor.setName(slot, undefined)
    await stop().catch((error) => log.debug({ err: error, room: this.#room.id }, 'a forwarder had already ended'))
  }
}

/** A camera beside its owner's screen has a place of its own. */
const besideMark = ' camera'
const keyOf = ({ participantId, isBeside }: OnStage): string => participantId + (isBeside ? besideMark : '')
const ownerOf = (key: string): string => key.replace(besideMark, '')

const whatOf = ({ feed, audio, video }: OnStage): string => `${feed} ${audio} ${video}`
