/** scrypt's parameters (RFC 7914): 1 MiB a try, the memory-hard function that browsers are least behind native code in. */
export const scryptForm = { n: 1024, r: 8, p: 1, keyLength: 32 } as const

/** Puzzles of a challenge: with eight known answers the slowest of a hundred visitors waits 1.5 times the mean. */
export const puzzleCount = 8

/** Bytes of each output that are given away, by which the solver knows that it has found it. */
export const checkBytes = 4

/** Eight scrypt puzzles whose answers are known because the minter chose them; all bytes are base64url. */
export interface Puzzle {
  /** The salt, 16 bytes. */
  nonce: string
  /** The first four bytes of each output. */
  checks: string
  /** The numbers to be found, four bytes each. */
  ks: string
  /** SHA-256 of the answer, which is itself the SHA-256 of the rest of all outputs. */
  answer_hash: string
}

/** Mints puzzles on threads of its own. */
export interface PuzzleMinter {
  /** Gives batches of new puzzles until the loop over it ends or the signal aborts, which ends its threads, too. */
  mint(signal: AbortSignal): AsyncIterable<readonly Puzzle[]>
}
