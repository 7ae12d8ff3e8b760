import type { Examination, ExaminedFile, Reason } from '#tasks/files/engine.ts'
import { usualPath } from '../sandbox/programs.ts'
import { PendingQuestions } from './pending-questions.ts'
import { RefusalError, unreadable } from './refusal.ts'
import type { Engine, Limits } from './verdict.ts'

export class InfectedFileError extends Error {
  override name = 'InfectedFileError'
}

const mostReasons = 100

export class Inspection {
  readonly file: ExaminedFile
  readonly engine: Engine
  readonly signal: AbortSignal
  readonly limits: Limits
  /** Folders with the programs that unpack, in the format of `PATH`. */
  readonly searchPath: string
  readonly ahead = new PendingQuestions()
  /** Sizes in bytes of unpacked contents that are currently stored. */
  readonly held = { memory: 0, scratch: 0 }
  sniffedType: string | null = null
  #entries = 0
  #unpacked = 0
  #status: Examination['status'] = 'clean'
  readonly #reasons: Reason[] = []

  constructor(file: ExaminedFile, engine: Engine, signal: AbortSignal, limits: Limits, searchPath = usualPath) {
    this.file = file
    this.engine = engine
    this.signal = signal
    this.limits = limits
    this.searchPath = searchPath
  }

  get entriesLeft(): number {
    return this.limits.entries - this.#entries
  }

  enter(): void {
    this.#entries += 1
    if (this.entriesLeft < 0)
      throw unreadable('too_many_entries', `The file has more than ${this.limits.entries} entries.`)
  }

  /** Counts unpacked bytes. Throws above the limit per file. */
  unpack(bytes: number): void {
    this.signal.throwIfAborted()
    this.#unpacked += bytes
    if (this.#unpacked > this.limits.totalSize)
      throw unreadable('too_large', `The file unpacks to more than ${this.limits.totalSize} bytes.`)
  }

  /** Throws if `packed` bytes unpack to more than normal data does. */
  checkRatio(packed: number, unpacked: number): void {
    const { entrySize } = this.limits
    if (unpacked > entrySize)
      throw unreadable('too_large', `An entry of the file unpacks to more than ${entrySize} bytes.`)
    this.checkExpansion(packed, unpacked)
  }

  /** Throws if several parts together unpack to more than normal data does. Each part can have its own size. */
  checkExpansion(packed: number, unpacked: number): void {
    const { ratio, ratioFloor } = this.limits
    if (unpacked > ratioFloor && unpacked > packed * ratio)
      throw unreadable('compression_ratio', `An entry of the file unpacks to more than ${ratio} times its size.`)
  }

  holdScratch(bytes: number): void {
    this.held.scratch += bytes
    this.checkScratch(0)
  }

  checkScratch(bytes: number): void {
    const { scratch } = this.limits
    if (this.held.scratch + bytes > scratch)
      throw unreadable('too_large', `The nested archives of the file need more than ${scratch} bytes of scratch space.`)
  }

  note(status: 'suspicious' | 'unscannable', reason: Reason, path: string[]): void {
    if (this.#status !== 'suspicious') this.#status = status
    this.#add(reason, path)
  }

  /** Adds a finding for a content that cannot be examined, so that the rest can be examined. Throws other errors. */
  noteRefusal(error: unknown, path: string[]): void {
    if (!(error instanceof RefusalError)) throw error
    this.note(error.status, { code: error.code, detail: error.message }, path)
  }

  infected(reason: Reason, path: string[]): never {
    this.#status = 'infected'
    this.#reasons.unshift(reasonAt(reason, path))
    throw new InfectedFileError()
  }

  examination(): Examination {
    return { status: this.#status, sniffedType: this.sniffedType, reasons: this.#reasons.slice(0, mostReasons) }
  }

  #add(reason: Reason, path: string[]): void {
    if (this.#reasons.length < mostReasons) this.#reasons.push(reasonAt(reason, path))
  }
}

const longestEntry = 1000

/** Removes characters that databases or terminals cannot handle from untrusted names. */
function reasonAt({ code, detail }: Reason, path: string[]): Reason {
  if (path.length === 0) return { code, detail }
  const entry = path
    .join(' → ')
    .slice(0, longestEntry)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  return { code, detail, entry }
}
