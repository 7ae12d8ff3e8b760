/** A line to the copier's program. */
export type CopierOrder = { type: 'start'; rtmp: string; audio: boolean; asNobody: boolean } | { type: 'finish' }

/** A line from the copier's program: it takes packets in, its output went on, or it has ended. */
export type CopierReport =
  | { type: 'ready'; audioPort: number | undefined; videoPort: number }
  | { type: 'running'; seconds: number }
  | { type: 'ended'; error?: string | undefined }
