export type MediaFaultCode =
  | 'empty'
  | 'not_media'
  | 'no_tracks'
  | 'truncated'
  | 'corrupt'
  | 'too_large'
  | 'too_long'
  | 'too_many_tracks'
  | 'unsupported_codec'
  | 'unsupported_colours'
  | 'bad_watermark'
  | 'no_room'
  | 'source_deleted'
  | 'no_audio'

const sentences: Record<MediaFaultCode, string> = {
  empty: 'The file is empty.',
  not_media: 'The file is not a video or audio file that Millrace can read.',
  no_tracks: 'The file has neither a video track nor an audio track.',
  truncated: 'The file is incomplete: its end is missing. Export or copy it again, then upload the whole file.',
  corrupt: 'The file is damaged. Its video or audio cannot be decoded.',
  too_large: 'The image size of the video is larger than Millrace can process.',
  too_long: 'The recording is longer than Millrace can process.',
  too_many_tracks: 'The file has more tracks than Millrace can process.',
  unsupported_codec: 'The file uses a video or audio format that Millrace cannot decode.',
  unsupported_colours:
    'The video uses Dolby Vision profile 5, whose colours cannot be converted. Export it as HDR10, HLG or SDR, then upload it again.',
  no_room:
    'The file is larger than the free disk space of the servers. Ask the operator of this server for more space.',
  source_deleted: 'The source was deleted before the work was done.',
  no_audio: 'The source has no audio.',
  bad_watermark: 'The watermark is not a readable PNG or JPEG image.',
}

/**
 * Thrown for an input that cannot be processed, so a retry cannot work. `message` is for the user (`failure_summary`).
 */
export class MediaFault extends Error {
  override name = 'MediaFault'
  readonly code: MediaFaultCode
  /** Output of the tool, for the log only. */
  readonly evidence: string

  constructor(code: MediaFaultCode, evidence = '', message: string = sentences[code]) {
    super(message)
    this.code = code
    this.evidence = evidence
  }
}

/** True for a `MediaFault`, even if it was restored from a job (tasks/queue/error-record.ts). */
export const isMediaFault = (error: unknown): error is MediaFault =>
  error instanceof Error && error.name === 'MediaFault' && 'code' in error
