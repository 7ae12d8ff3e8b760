/** Key of an asset's remuxed upload, until encoding is finished. */
export const mezzanineKey = (assetId: string, file: string) => `${workPrefix(assetId)}${file}`

export const workPrefix = (assetId: string) => `video/work/${assetId}/`

export const framesPrefix = (assetId: string) => `video/frames/${assetId}/`

export const posterKey = (assetId: string) => `video/posters/${assetId}.jpg`

/** Key of the public copy of a poster. It exists while the visibility allows access without a token. */
export const openPosterKey = (assetId: string) => `video/open-posters/${assetId}.jpg`

export const liveThumbnailKey = (channelId: string) => `video/live/${channelId}/thumbnail.jpg`

export const livePrefix = (broadcastId: string) => `video/broadcasts/${broadcastId}/`

export const chunkKey = (broadcastId: string, number: number) =>
  `${livePrefix(broadcastId)}${String(number).padStart(7, '0')}.mp4`

export const roomRecordingPrefix = (recordingId: string) => `video/room-recordings/${recordingId}/`

export const roomChunkKey = (recordingId: string, number: number) =>
  `${roomRecordingPrefix(recordingId)}${String(number).padStart(7, '0')}.mp4`
