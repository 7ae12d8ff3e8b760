import type { Context } from 'koa'
import type { DatabasePool } from '#sql/db.ts'
import type { Services } from '../container.ts'
import type { FormValues } from '../html/form.ts'
import type { Html } from '../html/html.ts'
import type { Member } from './member.ts'

/** Ways to confirm an identity: a passkey, a passkey that is created now, a code by email, and the request for a code. */
const ways = ['passkey', 'new-passkey', 'code', 'mail'] as const

export interface Proof {
  way: (typeof ways)[number]
  answer: string
}

export interface ConfirmingCall {
  db: DatabasePool
  ctx: Context
  ip: string
  origin: string
  requestId: string
  services: Services
  member: Member
}

/** What the dialog shows: the form to continue with, and the result of the last attempt. */
export interface ConfirmationState {
  fields: FormValues
  fault?: string | undefined
  /** True if a code was sent. */
  sent?: boolean | undefined
  /** Link back to the page of the form. Default: the page below the dialog. */
  back?: string
}

/** Confirms the identity of a member. The area of the dashboard’s sign-in provides it. */
export interface Confirmer {
  /** Checks a proof. If it is valid, renews the session and returns its member. */
  check(call: ConfirmingCall, proof: Proof): Promise<{ member: Member } | Pick<ConfirmationState, 'fault' | 'sent'>>
  /** Renders the dialog. Each of its forms sends the refused form again, with a proof. */
  show(call: ConfirmingCall, state: ConfirmationState): Promise<Html>
}

export const [wayField, answerField] = ['confirm_with', 'confirm_answer']

/** Separates the proof from the fields of the form that needs it. */
export function splitProof(given: FormValues): { given: FormValues; proof: Proof | undefined } {
  const { [wayField]: with_, [answerField]: answer = '', ...rest } = given
  const way = ways.find((one) => one === with_)
  return { given: rest, proof: way && { way, answer: String(answer) } }
}
