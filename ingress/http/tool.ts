/** Makes an operation a tool of the MCP server. The arguments of the tool are the path, query and body of the operation. */
export interface Tool {
  /** A verb and a noun, such as `send_email`. Up to 64 characters, unique. */
  name: string
  /** Replaces the description of the operation if that is about HTTP. */
  description?: string
  /** Arguments that the tool offers. Default: all of the query and the body. Path parameters are always offered. */
  only?: readonly string[]
  /** The operation deletes data or cannot be undone. True for DELETE. */
  destructive?: true
  /** The operation only reads. True for GET. */
  reads?: true
  /** The operation has effects outside this installation, such as a delivery to a person. */
  reachesOut?: true
  /** The result contains text of people outside the organisation. The description of the tool then has a warning. */
  outsideText?: true
}
