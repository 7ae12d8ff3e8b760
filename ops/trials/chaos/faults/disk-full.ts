import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from '../actor.ts'
import { type Fault, measureNextEffect, waitUntil } from '../fault.ts'
import { scratchPath } from '../parts.ts'
import type { Stage } from '../stage.ts'

const megabyte = Buffer.alloc(1024 ** 2)
const crumb = Buffer.alloc(4096)

export const diskFull: Fault = {
  name: 'disk-full',
  what: 'scratch disk of every worker full',
  impossible: ({ settings }) => (settings.smallDisks ? undefined : 'its small disks cannot be mounted here'),
  async strike(arena) {
    const { stage } = arena
    const fillers = await Promise.all(stage.workers.map((worker) => fill(stage, worker)))
    const begun = performance.now()
    // Jobs free space in the meantime. This fills it again.
    while (performance.now() - begun < arena.away) {
      await pause(100)
      await Promise.all(fillers.map(top))
    }
    await Promise.all(fillers.map((filler) => rm(filler, { force: true })))
    return { recovery: await measureNextEffect(arena), broken: [] }
  },
}

async function fill({ folder }: Stage, worker: Actor): Promise<string> {
  const pid = await waitUntil('the worker runs', () => worker.pid)
  const filler = join(scratchPath(folder, worker.part.name, pid), 'filler')
  await top(filler)
  return filler
}

/** Appends data until the disk is full. If the worker has exited, its disk no longer exists. */
async function top(filler: string): Promise<void> {
  for (const piece of [megabyte, crumb]) {
    while (
      await writeFile(filler, piece, { flag: 'a' }).then(
        () => true,
        () => false,
      )
    );
  }
}
