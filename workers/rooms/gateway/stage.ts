/** Somebody who publishes, as a compositor sees them. */
export interface OnStage {
  participantId: string
  /** Their connection in the media server: another after they came back. */
  feed: string | undefined
  name: string
  audio: boolean
  /** What is to be seen of them: the screen, if they share it. */
  video: 'camera' | 'screen' | undefined
  /** The camera of one whose screen is shown as well, without a sound of its own. */
  isBeside?: true
}

/** What may follow a room as long as its worker has it, such as a broadcast of it. */
export interface Attendant {
  /** Each second, and when something of the room has changed: who publishes, or what the API wants. */
  look(): Promise<void>
  /** The room has ended, or its worker gives it up. */
  close(how: 'ended' | 'given_up'): Promise<void>
}

/** Ports of this host that take a participant's media as RTP: Opus as 111, VP8 as 96. */
export interface ForwardPorts {
  audioPort: number
  videoPort: number
  videoRtcpPort?: number | undefined
}
