import type { Check, ScannedCheck } from '#sql/identity/checks.ts'

/** How a subject stands with a requirement now. */
export interface RequirementStatus {
  status: 'missing' | 'processing' | 'verified' | 'rejected' | 'expired'
  /** Why it must be met anew. */
  error?: { code: string; reason: string }
}

const dayMs = 24 * 60 * 60_000

/** How long before its end what is verified is asked for again, in milliseconds. */
export const renewalMs = 30 * dayMs

/** Whether a check is verified and not about to end. */
export const isHeld = (check: Pick<Check, 'status' | 'expires_at'>, now = Date.now()): boolean =>
  check.status === 'verified' && (check.expires_at === null || check.expires_at.getTime() > now + renewalMs)

/** How a subject stands with the requirement that a check is about; without a check it is missing. */
export function standingOf(check: ScannedCheck | undefined, now = Date.now()): RequirementStatus {
  switch (check?.status) {
    case undefined:
      return { status: 'missing' }
    case 'rejected':
      return {
        status: 'rejected',
        error: { code: check.reason_code ?? 'rejected', reason: check.reason ?? 'The check was rejected.' },
      }
    case 'verified':
      return { status: check.expires_at !== null && check.expires_at.getTime() <= now ? 'expired' : 'verified' }
    case 'submitted':
      return gated(check)
  }
}

/** What was handed in waits for its verdict and for somebody to look at it, unless the gate holds it back. */
function gated({ scan_status }: ScannedCheck): RequirementStatus {
  switch (scan_status) {
    case 'clean':
    case 'pending':
    case 'scanning':
      return { status: 'processing' }
    case null:
    case 'awaiting_upload':
      return {
        status: 'rejected',
        error: { code: 'document_missing', reason: 'The submitted file was deleted.' },
      }
    default:
      return {
        status: 'rejected',
        error: { code: 'document_refused', reason: `The malware gate has quarantined the file: it is ${scan_status}.` },
      }
  }
}
