import type { PushResult } from '../engine.ts'

/** Number of suspect responses above which they invalidate no device, if they are most of the batch. */
const unusual = 20

/** Number of doubtful tokens from which an unproven credential is considered wrong. */
const doubtful = 5

/**
 * Decides whether suspect responses are caused by the device or the credential. A device of another app gets them, and
 * every device does if the credential is wrong. With a proven credential they are caused by the device, unless they are
 * most of a batch of which nothing was accepted. A response that stops the credential invalidates no device.
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

/** A token of another app is reported as such. A bad token may be a typing error, so several are needed. */
const speaksAgainst = (suspects: readonly PushResult[]): boolean =>
  suspects.length >= doubtful || suspects.some(({ outcome }) => outcome === 'rejected')
