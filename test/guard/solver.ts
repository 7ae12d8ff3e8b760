import { hash, scryptSync } from 'node:crypto'
import type { Puzzle } from '#tasks/guard/engine.ts'

/** The outputs of a puzzle as its minter knows them; with another salt, those of its numbers with that. */
export function outputsOf({ nonce, ks }: Pick<Puzzle, 'nonce' | 'ks'>, salt = nonce): Buffer[] {
  const numbers = Buffer.from(ks, 'base64url')
  const bytes = Buffer.from(salt, 'base64url')
  return Array.from({ length: numbers.length / 4 }, (_, i) => outputOf(bytes, i, numbers.readUInt32BE(4 * i)))
}

/** The answer that eight outputs make. */
export const answerOf = (outputs: Buffer[]) =>
  hash('sha256', Buffer.concat(outputs.map((output) => output.subarray(4))), 'base64url')

/** The output of a try. */
export function outputOf(salt: Buffer, i: number, k: number): Buffer {
  const password = Buffer.alloc(6)
  password.writeUInt16BE(i)
  password.writeUInt32BE(k, 2)
  return scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
}

/** A challenge as a client reads it. */
export interface Challenge {
  id: string
  alg: 'scrypt' | 'sha256'
  nonce: string
  puzzles: { check: string; base: number }[]
  range: number
  count: number
  bits: number
}

/** Does a challenge's work, as its description says. */
export function solve(challenge: Challenge): string {
  return challenge.alg === 'scrypt' ? solveScrypt(challenge) : solveSha256(challenge)
}

function solveScrypt({ nonce, puzzles, range }: Challenge): string {
  const salt = Buffer.from(nonce, 'base64url')
  return answerOf(
    puzzles.map(({ check, base }, i) => {
      for (let step = 0; step < range; step++) {
        const output = outputOf(salt, i, (base + step) % 2 ** 32)
        if (output.toString('base64url', 0, 4) === check) return output
      }
      throw new Error(`Puzzle ${i} has no answer in its range.`)
    }),
  )
}

function solveSha256({ nonce, count, bits }: Challenge): string {
  const salt = Buffer.from(nonce, 'base64url')
  const input = Buffer.concat([salt, Buffer.alloc(6)])
  const counters = Buffer.alloc(4 * count)
  for (let i = 0; i < count; i++) {
    input.writeUInt16BE(i, salt.length)
    let counter = -1
    do input.writeUInt32BE(++counter, salt.length + 2)
    while (Math.clz32(hash('sha256', input, 'buffer').readUInt32BE()) < bits)
    counters.writeUInt32BE(counter, 4 * i)
  }
  return counters.toString('base64url')
}
