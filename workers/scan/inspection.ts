import type { Examination, ExaminedFile, Reason } from '#tasks/files/engine.ts'
import { usualPath } from '../sandbox/programs.ts'
import { PendingQuestions } from './pending-questions.ts'
import { Refusal, unreadable } from './refusal.ts'
import type { Engine, Limits } from './verdict.ts'

/** Thrown once a file is known to be infected: what else is in it no longer matters. */
export class InfectedFile extends Error {
  override name = 'InfectedFile'
}

const mostReasons = 100

/** One examination under way: what it may use, what it has used, and what it has found. */
export class Inspection {
  readonly file: ExaminedFile
  readonly engine: Engine
  readonly signal: AbortSignal
  readonly limits: Limits
  /** Where the programs that unpack are looked for, like `PATH`. */
  readonly searchPath: string
  /** What the engine is asked about small contents. */
  readonly ahead = new PendingQuestions()
  /** Bytes of unpacked contents that are held at this moment. */
  readonly held = { memory: 0, scratch: 0 }
  /** The media type of the file, as far as it is known. */
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

  /** How many further entries there may be. */
  get entriesLeft(): number {
    return this.limits.entries - this.#entries
  }

  /** Counts an entry; refuses one too many. */
  enter(): void {
    this.#entries += 1
    if (this.entriesLeft < 0)
      throw unreadable('too_many_entries', `The file has more than ${this.limits.entries} entries.`)
  }

  /** Counts unpacked bytes; refuses them beyond what may be unpacked of one file. */
  unpack(bytes: number): void {
    this.signal.throwIfAborted()
    this.#unpacked += bytes
    if (this.#unpacked > this.limits.totalSize)
      throw unreadable('too_large', `The file unpacks to more than ${this.limits.totalSize} bytes.`)
  }

  /** Refuses what `packed` bytes unpack to when it is more than honest data come to. */
  checkRatio(packed: number, unpacked: number): void {
    const { entrySize } = this.limits
    if (unpacked > entrySize)
      throw unreadable('too_large', `An entry of the file unpacks to more than ${entrySize} bytes.`)
    this.checkExpansion(packed, unpacked)
  }

  /** The same of what holds several parts, each of which may have its size. */
  checkExpansion(packed: number, unpacked: number): void {
    const { ratio, ratioFloor } = this.limits
    if (unpacked > ratioFloor && unpacked > packed * ratio)
      throw unreadable('compression_ratio', `An entry of the file unpacks to more than ${ratio} times its size.`)
  }

  /** Counts bytes that are put into scratch files; refuses what has no room there. */
  holdScratch(bytes: number): void {
    this.held.scratch += bytes
    this.checkScratch(0)
  }

  /** Refuses a content of so many bytes that has no room in scratch files. */
  checkScratch(bytes: number): void {
    const { scratch } = this.limits
    if (this.held.scratch + bytes > scratch)
      throw unreadable('too_large', `The nested archives of the file need more than ${scratch} bytes of scratch space.`)
  }

  /** Notes a finding; the gravest status stands. */
  note(status: 'suspicious' | 'unscannable', reason: Reason, path: string[]): void {
    if (this.#status !== 'suspicious') this.#status = status
    this.#add(reason, path)
  }

  /** Notes what cannot be examined, and goes on with the rest; what is no refusal is thrown on. */
  noteRefusal(error: unknown, path: string[]): void {
    if (!(error instanceof Refusal)) throw error
    this.note(error.status, { code: error.code, detail: error.message }, path)
  }

  /** Notes malware, and ends the examination. */
  infected(reason: Reason, path: string[]): never {
    this.#status = 'infected'
    this.#reasons.unshift(reasonAt(reason, path))
    throw new InfectedFile()
  }

  /** What has been found by now. */
  examination(): Examination {
    return { status: this.#status, sniffedType: this.sniffedType, reasons: this.#reasons.slice(0, mostReasons) }
  }

  #add(reason: Reason, path: string[]): void {
    if (this.#reasons.length < mostReasons) this.#reasons.push(reasonAt(reason, path))
  }
}

const longestEntry = 1000

/** Names come from strangers: what no database or terminal takes well is left out of them. */
function reasonAt({ code, detail }: Reason, path: string[]): Reason {
  if (path.length === 0) return { code, detail }
  const entry = path
    .join(' → ')
    .slice(0, longestEntry)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  return { code, detail, entry }
}
