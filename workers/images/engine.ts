import type { ImageEngine, Measured, Transformed } from '#tasks/files/rules/images/engine.ts'
import { countActive } from '../runtime/gauges.ts'
import { type Painter, type Question, startPainter } from './painter.ts'

export const engineName = 'sharp'

/** Time without work in milliseconds after which a process ends. Each uses 80 MB. */
const idleMs = 60_000

/** Number of answers after which a process is replaced, because its memory becomes fragmented. */
const mostAnswers = 300

/** Creates the engine. Its processes start with the work, one for each job that runs at the same time. */
export function createImageEngine(): ImageEngine & { close(): void } {
  const idle: { painter: Painter; timer: NodeJS.Timeout }[] = []
  const all = new Set<Painter>()

  async function take(): Promise<Painter> {
    for (let one = idle.pop(); one; one = idle.pop()) {
      clearTimeout(one.timer)
      if (one.painter.isAlive) return one.painter
      all.delete(one.painter)
    }
    const painter = await startPainter()
    all.add(painter)
    return painter
  }

  function giveBack(painter: Painter): void {
    if (painter.isAlive && painter.answered < mostAnswers) {
      const entry = { painter, timer: setTimeout(() => end(painter), idleMs).unref() }
      idle.push(entry)
    } else end(painter)
  }

  function end(painter: Painter): void {
    const at = idle.findIndex((one) => one.painter === painter)
    if (at >= 0) idle.splice(at, 1)
    painter.end()
    all.delete(painter)
  }

  async function ask<A extends Measured | Transformed>(question: Question, source: Uint8Array, signal: AbortSignal) {
    return await countActive(engineName, async () => {
      const painter = await take()
      try {
        return (await painter.ask(question, source, signal)) as A
      } finally {
        giveBack(painter)
      }
    })
  }

  return {
    measure: (source, { signal }) => ask<Measured>({ kind: 'measure' }, source, signal),
    transform: (source, recipe, { signal }) => ask<Transformed>({ kind: 'transform', recipe }, source, signal),
    close() {
      for (const painter of all) painter.end()
    },
  }
}
