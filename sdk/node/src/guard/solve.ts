import { fromBase64, toBase64Url } from '../bytes.ts'
import { MillraceError } from '../errors.ts'
import type { GuardChallengesCreateReply } from '../generated/types.ts'
import { type ScryptCost, scrypt } from './scrypt.ts'
import { concatBytes, counterHash, sha256 } from './sha256.ts'

export type Challenge = GuardChallengesCreateReply

export type Derive = (password: Uint8Array, salt: Uint8Array, cost: ScryptCost) => Uint8Array | Promise<Uint8Array>

export interface SolveOptions {
  signal?: AbortSignal | undefined
  /** Called with the progress, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
  /** Function to use instead of the JavaScript scrypt. `millrace/node` has a faster one. */
  derive?: Derive | undefined
}

/** Solves a challenge. Returns the answer for `client.guard.answers.complete`. */
async function solve(challenge: Challenge, options: SolveOptions = {}): Promise<string> {
  const answer =
    challenge.alg === 'scrypt' ? await solveScrypt(challenge, options) : await solveSha256(challenge, options)
  options.onProgress?.(1)
  return toBase64Url(answer)
}

export const guard = { solve }

const noSolution = () => new MillraceError('The challenge has no solution.')
const quad = (n: number) => [n >>> 24, n >>> 16, n >>> 8, n]
/** Returns the bytes to hash: the number of the puzzle and the candidate. */
const message = (index: number, candidate: number) => Uint8Array.of(index >>> 8, index, ...quad(candidate))

/**
 * Returns a function that pauses the calculation from time to time. Meanwhile browsers can render and servers can
 * respond.
 */
function breathing(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal?.throwIfAborted()
    if (performance.now() - since < 20) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}

async function solveScrypt(
  challenge: Extract<Challenge, { alg: 'scrypt' }>,
  { signal, onProgress, derive = scrypt }: SolveOptions,
): Promise<Uint8Array> {
  const { nonce, puzzles, range, n, r, p, key_length: keyLength } = challenge
  const salt = fromBase64(nonce)
  const breathe = breathing(signal)
  const found: Uint8Array[] = []
  for (const [index, { check, base }] of puzzles.entries()) {
    const wanted = fromBase64(check)
    for (let k = 0; found.length === index; k++) {
      if (k === range) throw noSolution()
      const key = await derive(message(index, base + k), salt, { n, r, p, keyLength })
      if (wanted.every((byte, i) => key[i] === byte)) found.push(key.slice(wanted.length))
      await breathe()
    }
    onProgress?.(found.length / puzzles.length)
  }
  return sha256(concatBytes(...found))
}

async function solveSha256(
  { nonce, count, bits }: Extract<Challenge, { alg: 'sha256' }>,
  { signal, onProgress }: SolveOptions,
): Promise<Uint8Array> {
  const prefix = fromBase64(nonce)
  const breathe = breathing(signal)
  const found: number[] = []
  for (let index = 0; index < count; index++) {
    const firstWord = counterHash(concatBytes(prefix, Uint8Array.of(index >>> 8, index)))
    for (let counter = 0; found.length === index; counter++) {
      if (counter === 2 ** 32) throw noSolution()
      if (Math.clz32(firstWord(counter)) >= bits) found.push(counter)
      if (counter % 4_096 !== 0) continue
      await breathe()
    }
    onProgress?.(found.length / count)
  }
  return Uint8Array.from(found.flatMap(quad))
}
