import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scratch } from '#tasks/video/pools.ts'

export const testScratch: Pick<Scratch, 'attempt'> = {
  async attempt() {
    const path = await mkdtemp(join(tmpdir(), 'millrace-attempt-'))
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  },
}
