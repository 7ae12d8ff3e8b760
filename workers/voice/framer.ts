/** Maximum sizes in bytes of a header and of a body. Session descriptions have a few KB. */
const [mostHeader, mostBody] = [64 * 1024, 64 * 1024]

const end = Buffer.from('\r\n\r\n')

/** Thrown for bytes that are not SIP. The bytes after them cannot be parsed. */
export class InvalidSipError extends Error {
  override name = 'InvalidSipError'
}

/**
 * Splits a stream into messages by their Content-Length (RFC 3261 18.3), which each message must have. Stores at most
 * one message. Checks each byte once, and moves the remaining bytes of a chunk once, regardless of the number of
 * messages.
 */
export class Framer {
  #bytes = Buffer.alloc(4 * 1024)
  #begin = 0
  #end = 0
  #looked = 0
  /** Length of the message whose header is complete. 0 while the header is incomplete. */
  #whole = 0

  get partial(): boolean {
    return this.#size > 0
  }

  get #size(): number {
    return this.#end - this.#begin
  }

  /**
   * Adds bytes and returns the messages that are now complete. A keep-alive (RFC 5626 4.4.1) is returned as an empty
   * message. Consecutive keep-alives are returned as one.
   */
  push(chunk: Buffer): Buffer[] {
    this.#append(chunk)
    const messages: Buffer[] = []
    for (let next = this.#next(); next; next = this.#next())
      if (next.length > 0 || messages.at(-1)?.length !== 0) messages.push(next)
    if (this.#size > mostHeader + mostBody) throw new InvalidSipError('a message is too long')
    return messages
  }

  #append(chunk: Buffer): void {
    const size = this.#size + chunk.length
    const into = size > this.#bytes.length ? Buffer.alloc(Math.max(size, 2 * this.#bytes.length)) : this.#bytes
    this.#bytes.copy(into, 0, this.#begin, this.#end)
    chunk.copy(into, this.#size)
    this.#bytes = into
    this.#begin = 0
    this.#end = size
  }

  #next(): Buffer | undefined {
    if (this.#whole === 0) {
      // Line breaks before a message are keep-alives of the sender (RFC 3261 7.5).
      if (this.#starts('\r\n\r\n')) return this.#take(4).subarray(4)
      if (this.#starts('\r\n') && this.#size > 2 && this.#bytes[this.#begin + 2] !== 0x0d) this.#take(2)
      const here = this.#bytes.subarray(this.#begin, this.#end)
      const at = here.indexOf(end, Math.max(0, this.#looked - 3))
      this.#looked = this.#size
      if (at < 0) {
        if (this.#size > mostHeader) throw new InvalidSipError('a header is too long')
        return undefined
      }
      if (at > mostHeader) throw new InvalidSipError('a header is too long')
      this.#whole = at + end.length + bodyLength(here.subarray(0, at).toString('latin1'))
    }
    return this.#size < this.#whole ? undefined : this.#take(this.#whole)
  }

  #starts(text: string): boolean {
    return this.#size >= text.length && this.#bytes.toString('latin1', this.#begin, this.#begin + text.length) === text
  }

  #take(length: number): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(this.#begin, this.#begin + length))
    this.#begin += length
    this.#looked = 0
    this.#whole = 0
    return taken
  }
}

/** Returns the Content-Length. Repeated headers must have equal values. */
function bodyLength(header: string): number {
  const said = header.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    return colon > 0 && (name === 'content-length' || name === 'l') ? [line.slice(colon + 1).trim()] : []
  })
  const [length = ''] = said
  const isNumber = length !== '' && length.length <= 6 && [...length].every((digit) => digit >= '0' && digit <= '9')
  if (!isNumber || said.some((one) => one !== length)) throw new InvalidSipError('a message has no Content-Length')
  if (Number(length) > mostBody) throw new InvalidSipError('a body is too long')
  return Number(length)
}
