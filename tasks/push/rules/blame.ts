import type { PushResult } from '../engine.ts'

/** Number of suspect responses above which they invalidate no device, if they are most of the batch. */
const unusual = 20

/** Number of suspect tokens from which an unproven credential counts as wrong. */
const doubtful = 5

/**
 * Decides whether the device or the credential causes suspect responses. A device of another app gets such responses.
 * If the credential is wrong, every device gets them. If the credential is proven, the device is the cause, unless most
 * of the batch is suspect and nothing was accepted. A response that stops the credential invalidates no device.
 */
export function assignBlame(answers: readonly PushResult[], proven: boolean): PushResult[] {
  const suspects = answers.filter(({ suspect }) => suspect)
  if (suspects.length === 0) return [...answers]
  const taken = answers.some(({ outcome }) => outcome === 'sent')
  const isUnusual = suspects.length >= unusual && suspects.length * 2 > answers.length
  const isFault = !taken && (isUnusual || (!proven && speaksAgainst(suspects)))
  const spares = isFault || isUnusual || !(taken || proven)
  return answers.map((answer) => {
    if (answer.suspect && isFault) return { ...answer, outcome: 'credential' }
    const isDoubtful = answer.outcome === 'invalid_token' && (answer.suspect || isFault)
    return isDoubtful && spares ? { ...answer, outcome: 'rejected' } : answer
  })
}

/**
 * True if suspect responses are evidence against the credential. Providers report a token of another app as such. A bad
 * token may be a typing error, so several are needed.
 */
const speaksAgainst = (suspects: readonly PushResult[]): boolean =>
  suspects.length >= doubtful || suspects.some(({ outcome }) => outcome === 'rejected')
