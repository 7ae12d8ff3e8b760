export const sandboxPhoneNumberId = '100000000000001'
export const sandboxAccountId = '200000000000001'

export { ownAccountId, ownPhoneNumberId } from '#tasks/whatsapp/rules/sandbox-number.ts'

/** Displayed numbers, which are reserved for fiction. */
export const displayNumber = '+1 555 0100'
export const ownDisplayNumber = '+1 555 0101'
