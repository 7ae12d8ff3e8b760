/** SMTP error reply with a code of RFC 5321 §4.2.3 and a message. */
export class RefusalError extends Error {
  override name = 'RefusalError'
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}
