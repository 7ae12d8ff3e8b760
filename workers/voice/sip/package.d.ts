/** The used part of the package's interface. The package has no types. */
declare module 'sip' {
  interface Uri {
    schema: string
    user?: string
    host: string
    port: number
    params: Record<string, string | null>
  }
  interface Address {
    name?: string | undefined
    uri: string | Uri
    params: Record<string, string | null>
  }
  interface Via {
    version: string
    protocol: string
    host: string
    port?: number | undefined
    params: Record<string, string | null>
  }
  interface Headers {
    via: Via[]
    to: Address
    from: Address
    'call-id': string
    cseq: { seq: number; method: string }
    contact?: Address[] | '*'
    route?: Address[]
    'record-route'?: Address[]
    'www-authenticate'?: Record<string, string>[]
    'proxy-authenticate'?: Record<string, string>[]
    [name: string]: unknown
  }
  interface Request {
    method: string
    uri: string | Uri
    status?: undefined
    headers: Headers
    content?: string
  }
  interface Response {
    method?: undefined
    status: number
    reason: string
    headers: Headers
    content?: string
  }
  type Message = Request | Response
  interface Connection {
    send(message: Message): void
    release(): void
    protocol: string
  }
  interface Transaction {
    send(message: Response): void
    message(message: Message, remote?: unknown): void
    shutdown(): void
  }
  interface TransactionLayer {
    createServerTransaction(request: Request, connection: Connection): Transaction
    createClientTransaction(
      connection: Connection,
      request: Request,
      onResponse: (response: Response) => void,
    ): Transaction
    getServer(message: Message): Transaction | undefined
    getClient(message: Message): Transaction | undefined
    destroy(): void
  }
  const sip: {
    parse(datagram: Buffer): Message | undefined
    stringify(message: Message): string
    parseUri(uri: string | Uri): Uri | undefined
    stringifyUri(uri: string | Uri): string
    makeResponse(
      request: Request,
      status: number,
      reason?: string,
      more?: { headers?: object; content?: string },
    ): Response
    makeTransactionLayer(options: object): TransactionLayer
  }
  // biome-ignore lint/style/noDefaultExport: the package has nothing else.
  export default sip
  export type { Address, Connection, Headers, Message, Request, Response, Transaction, Uri, Via }
}

declare module 'sip/digest.js' {
  const digest: {
    signRequest(
      context: object,
      request: import('sip').Request,
      response: import('sip').Response,
      credentials: { user: string; password: string },
    ): unknown
  }
  // biome-ignore lint/style/noDefaultExport: the package has nothing else.
  export default digest
}
