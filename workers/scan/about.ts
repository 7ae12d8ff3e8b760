/** What is known of a content before its bytes: of the file itself, or of one inside it. */
export interface About {
  /** All that one tool or another calls it; the first is the one to be told. */
  names: [string, ...string[]]
  declaredType: string | null
  /** The names of the archives it is in and its own; empty for the file itself. */
  path: string[]
  /** What it is in. */
  within: 'nothing' | 'archive' | 'document'
  depth: number
}
