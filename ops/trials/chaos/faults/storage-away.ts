import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, measureNextEffect } from '../fault.ts'

export const storageAway: Fault = {
  name: 'storage-away',
  what: 'object store killed, and its port rejects connections',
  async strike(arena) {
    const { store } = arena.stage
    await store.away()
    try {
      await pause(arena.away)
    } finally {
      await store.back()
    }
    return { recovery: await measureNextEffect(arena), broken: [] }
  },
}
