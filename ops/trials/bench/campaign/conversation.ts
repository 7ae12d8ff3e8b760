import type { Socket } from 'node:net'

const endOfData = Buffer.from('\r\n.\r\n')
const endOfLine = Buffer.from('\r\n')
const accepted = '250 2.0.0 ok\r\n'
const replies: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES\r\n',
  DATA: '354 send the message\r\n',
  QUIT: '221 2.0.0 bye\r\n',
}

/** One SMTP connection. It accepts each message, and drops its body. */
export class Conversation {
  readonly #socket: Socket
  readonly #onMessage: (recipient: string) => void
  #rest: Buffer = Buffer.alloc(0)
  #isData = false
  #recipient = ''

  constructor(socket: Socket, onMessage: (recipient: string) => void) {
    this.#socket = socket
    this.#onMessage = onMessage
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (bytes) => this.#read(bytes))
    socket.write('220 sink\r\n')
  }

  #read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#isData ? this.#endMessage() : this.#answerLine());
  }

  #endMessage(): boolean {
    const at = this.#rest.indexOf(endOfData)
    // The body is dropped, except the bytes that can be the start of its end.
    this.#rest = this.#rest.subarray(at < 0 ? Math.max(0, this.#rest.length - endOfData.length) : at + endOfData.length)
    if (at < 0) return false
    this.#isData = false
    this.#onMessage(this.#recipient)
    this.#socket.write(accepted)
    return true
  }

  #answerLine(): boolean {
    const at = this.#rest.indexOf(endOfLine)
    if (at < 0) return false
    const line = this.#rest.toString('latin1', 0, at)
    const verb = line.slice(0, 4).toUpperCase()
    this.#rest = this.#rest.subarray(at + endOfLine.length)
    if (verb === 'RCPT') this.#recipient = line
    this.#isData = verb === 'DATA'
    this.#socket.write(replies[verb] ?? accepted)
    if (verb === 'QUIT') this.#socket.end()
    return true
  }
}
