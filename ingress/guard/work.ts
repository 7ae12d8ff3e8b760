import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { ChallengeState } from '#sql/guard/challenges.ts'
import type { Tier } from '#sql/guard/sites.ts'
import { checkBytes } from '#tasks/guard/engine.ts'

/** Maximum numbers to try for each of the eight puzzles, by tier. On average, half of the numbers are tried. */
export const tierRanges: Record<Tier, number> = { low: 16, normal: 64, high: 128, extreme: 512 }

/**
 * Number of counters of a SHA-256 challenge. The time of fifty small searches varies less than the time of one large
 * search.
 */
export const counterCount = 50

/**
 * Number of zero bits of each counter’s hash, by tier. The work takes about twice the time of the tier’s scrypt,
 * because native code computes SHA-256 much faster.
 */
export const tierBits: Record<Tier, number> = { low: 14, normal: 16, high: 17, extreme: 19 }

/** Schema of bytes in base64url without padding. Only the canonical form is allowed. */
export const Bytes = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding')
  .refine((text) => Buffer.from(text, 'base64url').toString('base64url') === text, 'must be base64url without padding')

/** Returns the puzzles for the client. Each solution is within a range above its base (modulo 2^32). */
export function presentPuzzles({ checks, ks }: { checks: string; ks: string }, range: number) {
  const [known, numbers] = [Buffer.from(checks, 'base64url'), Buffer.from(ks, 'base64url')]
  return Array.from({ length: numbers.length / 4 }, (_, i) => ({
    check: known.toString('base64url', i * checkBytes, (i + 1) * checkBytes),
    base: (numbers.readUInt32BE(i * 4) - randomInt(range)) >>> 0,
  }))
}

export function isSolution({ alg, answer_hash, nonce, bits }: ChallengeState, answer: string): boolean {
  const given = Buffer.from(answer, 'base64url')
  if (alg === 'sha256') return countersHold(Buffer.from(nonce, 'base64url'), bits ?? 256, given)
  return timingSafeEqual(hash('sha256', given, 'buffer'), Buffer.from(answer_hash ?? '', 'base64url'))
}

function countersHold(nonce: Buffer, zeros: number, counters: Buffer): boolean {
  if (counters.length !== counterCount * 4) return false
  const input = Buffer.alloc(nonce.length + 6)
  nonce.copy(input)
  for (let i = 0; i < counterCount; i++) {
    input.writeUInt16BE(i, nonce.length)
    counters.copy(input, nonce.length + 2, i * 4, i * 4 + 4)
    const start = hash('sha256', input, 'buffer').readUInt32BE()
    if (Math.clz32(start) < zeros) return false
  }
  return true
}
