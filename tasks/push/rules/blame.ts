import type { PushResult } from '../engine.ts'

/** Suspect answers of a batch above which no device is called dead by them, if most of the batch is suspect. */
const unusual = 20

/** Doubtful tokens of a batch from which on a credential that has proven nothing is held to be at fault. */
const doubtful = 5

/**
 * Lays suspect answers, which a device of another app gets and any device does if the credential is wrong, at the door of the
 * device or of the credential. With a credential that has been taken once (`proven`) they are the device's, unless they are most of
 * a batch of which nothing was taken. One that stops its credential costs no device its place, whatever else the batch was told.
 */
export function blame(answers: readonly PushResult[], proven: boolean): PushResult[] {
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

/** A token of another app is told as such; one that is called bad may be mistyped, so it takes several. */
const speaksAgainst = (suspects: readonly PushResult[]): boolean =>
  suspects.length >= doubtful || suspects.some(({ outcome }) => outcome === 'rejected')
