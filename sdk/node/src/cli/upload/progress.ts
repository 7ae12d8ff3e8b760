import type { UploadProgress } from '../../upload-options.ts'
import { sizeOf } from '../numbers.ts'
import type { Terminal } from '../terminal.ts'

const width = 30

/** Returns a function that shows the progress of an upload on a terminal. */
export function progressBar(terminal: Terminal): (progress: UploadProgress) => void {
  const begun = Date.now()
  let first: number | undefined
  return ({ bytesSent, bytes }) => {
    first ??= bytesSent
    const share = bytes === 0 ? 1 : bytesSent / bytes
    const done = Math.round(share * width)
    const seconds = (Date.now() - begun) / 1_000
    const rate = seconds > 0 ? (bytesSent - first) / seconds : 0
    const left = rate > 0 ? `, ${timeLeft((bytes - bytesSent) / rate)} left` : ''
    const bar = `${'█'.repeat(done)}${'░'.repeat(width - done)}`
    terminal.progress(
      `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${sizeOf(bytesSent)} of ${sizeOf(bytes)}${left}`,
    )
  }
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
