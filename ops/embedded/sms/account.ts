/** Account of the sandbox, in the format of Twilio. */
export const sandboxAccountSid = `AC${'0'.repeat(31)}1`

/** Number of the sandbox, which is reserved for fiction. */
export const sandboxNumber = '+447700900100'
