export interface OnStage {
  participantId: string
  /** Feed in the media server. The feed changes when the participant reconnects. */
  feed: string | undefined
  name: string
  audio: boolean
  video: 'camera' | 'screen' | undefined
  /** Set for the camera of a participant whose screen is shown separately. This camera has no audio. */
  isBeside?: true
}

export interface Attendant {
  /** Called every second, and when the publishers or requested changes of the room change. */
  look(): Promise<void>
  close(how: 'ended' | 'given_up'): Promise<void>
}

/** Ports of this host that receive the media of a participant as RTP: Opus as 111, VP8 as 96. */
export interface ForwardPorts {
  audioPort: number
  videoPort: number
  videoRtcpPort?: number | undefined
}
