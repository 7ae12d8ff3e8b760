/** What is got for an action. */
export interface ActionToken {
  token: string
  action: string
  tier: string
  expires_at: string
  alg: string
  /** Milliseconds that the work took. */
  solveMs: number
}

/** Solves a challenge; returns the answer that completes it. */
export function solve(challenge: Record<string, unknown>): Promise<string>

/** Gets a token for an action by the site's public key. */
export function getToken(options: {
  api: string
  sitekey: string
  action: string
  alg?: 'scrypt' | 'sha256'
  signal?: AbortSignal
}): Promise<ActionToken>
