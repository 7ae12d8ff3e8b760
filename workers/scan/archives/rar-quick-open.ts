import { damaged } from '../refusal.ts'
import type { Source } from '../source.ts'
import { Numbers } from './rar-numbers.ts'

/** The CRC of a copy, and its size in up to ten bytes; what follows is no longer than a header and three numbers. */
const longestLead = 14
const longestCopy = 2 * 1024 ** 2 + 30

/**
 * Refuses a block of a RAR archive (version 5) whose copies of headers are others than the headers themselves, byte for byte: some
 * tools read the copies in their place. `begin` is where the block begins, from which each copy tells how far back its
 * header is; the copies stand from `start` to `end`.
 */
export async function checkCopies(source: Source, begin: number, start: number, end: number): Promise<void> {
  for (let at = start; at < end; ) {
    const lead = new Numbers(await source.read(at, Math.min(at + longestLead, end)), 4)
    const length = lead.next()
    const from = at + lead.at
    if (length === 0 || length > longestCopy || from + length > end) throw damaged()
    await checkCopy(source, begin, await source.read(from, from + length))
    at = from + length
  }
}

async function checkCopy(source: Source, begin: number, record: Buffer): Promise<void> {
  const told = new Numbers(record)
  // Flags, of which there are none yet.
  told.next()
  const place = begin - told.next()
  const length = told.next()
  const copy = record.subarray(told.at)
  if (place < 0 || copy.length !== length) throw damaged()
  if (!copy.equals(await source.read(place, place + length))) throw damaged()
}
