import { SingleBar } from 'cli-progress'
import { number } from './output.ts'

export interface Progress {
  at(done: number, total?: number): void
  end(): void
}

/** Returns a progress bar on stderr. If stderr is not a terminal, the progress bar does nothing. */
export function progress(what: string, total: number, quiet = false): Progress {
  if (quiet || !process.stderr.isTTY) return { at() {}, end() {} }
  const bar = new SingleBar({
    format: `${what} {bar} {percentage} %  {shown}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    stream: process.stderr,
  })
  bar.start(Math.max(1, total), 0, { shown: `0 of ${number(total)}` })
  return {
    at(done, most = total) {
      bar.setTotal(Math.max(1, most))
      bar.update(Math.min(done, most), { shown: `${number(done)} of ${number(most)}` })
    },
    end: () => bar.stop(),
  }
}
