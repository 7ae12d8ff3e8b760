import { hash, randomBytes, scryptSync } from 'node:crypto'
import { checkBytes, type Puzzle, puzzleCount, scryptForm } from '#tasks/guard/engine.ts'

const { n: N, r, p, keyLength } = scryptForm

/** Creates one puzzle with eight runs of scrypt, in the calling thread. */
export function mintPuzzle(): Puzzle {
  const nonce = randomBytes(16)
  const ks = randomBytes(4 * puzzleCount)
  const checks: Buffer[] = []
  const rest: Buffer[] = []
  const password = Buffer.alloc(6)
  for (let i = 0; i < puzzleCount; i++) {
    password.writeUInt16BE(i, 0)
    ks.copy(password, 2, 4 * i, 4 * i + 4)
    const output = scryptSync(password, nonce, keyLength, { N, r, p })
    checks.push(output.subarray(0, checkBytes))
    rest.push(output.subarray(checkBytes))
  }
  const answer = hash('sha256', Buffer.concat(rest), 'buffer')
  return {
    nonce: nonce.toString('base64url'),
    checks: Buffer.concat(checks).toString('base64url'),
    ks: ks.toString('base64url'),
    answer_hash: hash('sha256', answer, 'base64url'),
  }
}
