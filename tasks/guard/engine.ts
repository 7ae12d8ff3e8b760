/**
 * scrypt parameters (RFC 7914): 1 MiB per attempt. Among the memory-hard functions, scrypt has the smallest difference
 * in speed between browsers and native code.
 */
export const scryptForm = { n: 1024, r: 8, p: 1, keyLength: 32 } as const

/**
 * Number of puzzles per challenge. With eight known answers, the slowest of a hundred visitors waits 1.5 times the
 * mean.
 */
export const puzzleCount = 8

/** Number of bytes of each output that are sent. The solver recognises a solution by these bytes. */
export const checkBytes = 4

/** Eight scrypt puzzles with known answers, chosen at their creation. All bytes are base64url. */
export interface Puzzle {
  /** Salt, 16 bytes. */
  nonce: string
  /** First four bytes of each output. */
  checks: string
  /** Numbers to find, four bytes each. */
  ks: string
  /** SHA-256 of the answer, which is the SHA-256 of the rest of all outputs. */
  answer_hash: string
}

export interface PuzzleMinter {
  /** Yields batches of new puzzles until the loop ends or the signal aborts. Both also end its threads. */
  mint(signal: AbortSignal): AsyncIterable<readonly Puzzle[]>
}
