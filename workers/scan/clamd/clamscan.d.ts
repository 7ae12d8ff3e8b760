/** What we use of it, which brings no types. */
declare module 'clamscan' {
  import type { Socket } from 'node:net'

  class NodeClam {
    init(options: { clamscan: { active: false }; clamdscan: Record<string, unknown> }): Promise<NodeClam>
    ping(): Promise<Socket>
    getVersion(): Promise<string>
  }
  export = NodeClam
}
