/** The ids by which the sandbox knows its business number and the account that it belongs to. */
export const sandboxPhoneNumberId = '100000000000001'
export const sandboxAccountId = '200000000000001'

/** The number as people see it: one that is kept for fiction. */
export const displayNumber = '+1 555 0100'
