export interface OnStage {
  participantId: string
  /** Feed in the media server. It changes when the participant reconnects. */
  feed: string | undefined
  name: string
  audio: boolean
  video: 'camera' | 'screen' | undefined
  /** Set for the camera of a person whose screen is shown separately. It has no audio. */
  isBeside?: true
}

export interface Attendant {
  /** Called every second, and when the publishers or the requested changes of the room have changed. */
  look(): Promise<void>
  close(how: 'ended' | 'given_up'): Promise<void>
}

/** Ports of this host that receive the media of a participant as RTP: Opus as 111, VP8 as 96. */
export interface ForwardPorts {
  audioPort: number
  videoPort: number
  videoRtcpPort?: number | undefined
}
