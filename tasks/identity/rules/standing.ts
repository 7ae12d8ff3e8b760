import type { Check, ScannedCheck } from '#sql/identity/checks.ts'

export interface RequirementStatus {
  status: 'missing' | 'processing' | 'verified' | 'rejected' | 'expired'
  error?: { code: string; reason: string }
}

const dayMs = 24 * 60 * 60_000

/** Time before expiry in milliseconds from which a verification is due again. */
export const renewalMs = 30 * dayMs

/** True if a check is verified and does not expire soon. */
export const isVerifiedForNow = (check: Pick<Check, 'status' | 'expires_at'>, now = Date.now()): boolean =>
  check.status === 'verified' && (check.expires_at === null || check.expires_at.getTime() > now + renewalMs)

/** Returns the state of the requirement. Without a check, it is missing. */
export function getRequirementStatus(check: ScannedCheck | undefined, now = Date.now()): RequirementStatus {
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

/**
 * Returns the state for a submitted file. It waits for the scan and the decision, unless the malware gate has
 * quarantined the file.
 */
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
        error: { code: 'document_refused', reason: `The malware scan has quarantined the file: it is ${scan_status}.` },
      }
  }
}
