export const sandboxPhoneNumberId = '100000000000001'
export const sandboxAccountId = '200000000000001'

/** IDs of a number that an organisation can connect as its own, with the same credentials. */
export const ownPhoneNumberId = '100000000000002'
export const ownAccountId = '200000000000002'

/** Displayed numbers, which are reserved for fiction. */
export const displayNumber = '+1 555 0100'
export const ownDisplayNumber = '+1 555 0101'
