import { problem } from '../http/problem-kinds.ts'

export const lastOwner = problem(409, 'last_owner', 'The organisation must have at least one owner.')

export const alreadyMember = problem(409, 'already_member', 'The address already belongs to a member.')

export const alreadyInvited = problem(
  409,
  'already_invited',
  'The address already has an invitation. Resend that invitation.',
)

export const invitationLimit = problem(409, 'invitation_limit', 'The organisation has too many pending invitations.')
